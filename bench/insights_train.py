"""Trains the heads by which insights are found, on what layers of the model of worth make of messages.

    python -m bench.insights_train OUT [--final] [--bounds]

It learns from the channels of `bench/data/channels` that are to train on, and from the scenes beside them.
Each third of the writers is left out in turn, and what is found in their channels is printed; with
`--bounds` for several bounds. `--final` trains on all of them and writes `OUT/heads.npz`. It takes some
minutes on one core.
"""

from __future__ import annotations

import argparse
import pickle
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from bench.channels import FOLDER, Writer, read, writers
from bench.insights import CLOSABLE, Score, score
from bethink.insights import cues
from bethink.insights.drafts import Closing
from bethink.insights.heads import FILE, LINKS, MOST, PARTS_OF_A_LINK, POINT_LAYERS, Heads, described
from bethink.insights.learned import BOUNDS, Bounds, follow, guess
from bethink.insights.learned import MOST as OPEN
from bethink.insights.linking import Heard, Standing, own, pairs
from bethink.insights.words import names_of, speakers_of, terms_of
from bethink.models.worth import load_worth
from bethink.models.worth.channel import AHEAD, State, before_of
from bethink.models.worth.said import INSIGHTS, Floats
from bethink.records import Message
from bethink.shapes.insights import Insight, InsightDraft, InsightKind

PARTS, EPOCHS, HIDDEN = 3, 16, 24
CALM = 3e-5  # how much large weights of the first head cost
OWN = 2.0  # how much cheaper those of words and place are
GUESS = 0.12  # chance from which on a link is learned with what may be a false alarm
PLAIN = ("plain-de", "plain-en", "plain-many")
KINDS = tuple(name for name in INSIGHTS if name != "closes")
Links = dict[str, Floats]
States = dict[tuple[str, int], tuple[State, State]]


@dataclass
class Line:
    """A message of a channel, and what is known of it."""

    writer: Writer
    message: Message
    state: State
    alone: State
    own: list[float]
    insights: tuple[str, ...]
    closes: tuple[str, ...]
    terms: frozenset[str]


@dataclass
class Asked:
    """A message among what was open: the numbers of each, those that it ends and those it speaks of."""

    rows: Floats
    ending: list[int]
    speaking: list[int]


def messages_of(writer: Writer) -> list[Message]:
    return [
        Message.model_validate(
            {
                "id": f"{number:03}", "space_id": "s", "session_id": writer.name, "position": number,
                "role": "contact", "name": one.name, "content": one.text, "sent_at": one.at,
                "created_at": one.at, "platform": writer.facts["platform"],
                "channel": writer.facts["channel"],
            }
        )
        for number, one in enumerate(writer.said)
    ]  # fmt: skip


def lines_of(writer: Writer, states: States) -> list[Line]:
    """The messages of a channel as the heads are given them."""
    said, made = messages_of(writer), []
    speakers = speakers_of(said, [])
    names = names_of(speakers)
    for number, (message, one) in enumerate(zip(said, writer.said, strict=True)):
        if (writer.name, number) not in states:
            before = before_of(
                [(other.name, other.text) for other in writer.said[max(0, number - AHEAD) : number]]
            )
            model = load_worth()
            states[writer.name, number] = model.state(before, one.text), model.state("", one.text)
        state, alone = states[writer.name, number]
        told = own(message, said[number - 1] if number else None, speakers)
        terms = terms_of(message.content, names)
        made.append(Line(writer, message, state, alone, told, one.insights, one.closes, terms))
    return made


def given(lines: Sequence[Line]) -> tuple[Floats, Floats]:
    """What the first head reads, and what it should say; plain sentences also as if nothing stood before."""
    lines = [*lines, *(replace(line, state=line.alone) for line in lines if line.writer.name in PLAIN)]
    rows = np.stack([np.concatenate([described(line.state), np.array(line.own)]) for line in lines])
    truth = np.zeros((len(lines), len(INSIGHTS)), np.float32)
    for place, line in enumerate(lines):
        for label in line.insights:
            truth[place, INSIGHTS.index(label.partition(":")[0])] = 1
        truth[place, INSIGHTS.index("closes")] = bool(line.closes)
    return rows.astype(np.float32), truth


def says(lines: Sequence[Line]) -> Links:
    """The head that tells what a message is evidence of."""
    rows, truth = given(lines)
    middle, spread = rows.mean(0), rows.std(0) + 1e-4
    scale = np.ones(rows.shape[1]) / np.sqrt(rows.shape[1])
    scale[-len(lines[0].own) :] *= OWN
    x = torch.tensor(((rows - middle) / spread * scale).astype(np.float32))
    y = torch.tensor(truth)
    weights = torch.zeros(x.shape[1], y.shape[1], requires_grad=True)
    bias = torch.full((y.shape[1],), -3.0, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights, bias], max_iter=60, history_size=8)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        loss = functional.binary_cross_entropy_with_logits(x @ weights + bias, y, reduction="none")
        total = loss.sum(1).mean() + CALM * (weights**2).sum()
        total.backward()
        return total

    optimizer.step(step)
    full = weights.detach().numpy() * (scale / spread)[:, None]
    return {"says": full, "says_bias": bias.detach().numpy() - middle @ full}


def heard(heads: Heads, line: Line) -> Heard:
    chances, cue = heads.chances(line.state, line.own), cues.read(line.message.content).kind
    return Heard(line.message, chances, heads.points(line.alone), line.terms, cue)


def asked(lines: Sequence[Line], heads: Heads) -> Iterator[Asked]:
    """What is open before each message of a channel, false alarms among it, and what the message does."""
    open_: list[Standing] = []
    tags: dict[int, str] = {}  # of what is open
    for line in lines:
        one = heard(heads, line)
        named = [tags[id(other)] for other in open_]
        ends = [n for n, tag in enumerate(named) if open_[n].kind in CLOSABLE and tag in line.closes]
        speaks = [n for n, tag in enumerate(named) if f"{open_[n].kind}:{tag}" in line.insights]
        if open_:
            yield Asked(pairs(one, open_), ends, speaks)
        for other in open_:
            other.ago += 1
        for number in speaks:
            open_[number].extend(one)
        said = {f"{open_[number].kind}:{tags[id(open_[number])]}" for number in speaks}
        open_ = [other for number, other in enumerate(open_) if number not in ends][-OPEN:]
        for place, kind in enumerate(KINDS):
            labels = [label for label in line.insights if label.startswith(f"{kind}:") and label not in said]
            fresh = [label.partition(":")[2] for label in labels]
            if not any(label.startswith(f"{kind}:") for label in line.insights):
                fresh = [""] if one.chances[place] > 1.5 * GUESS else []  # a false alarm
            elif one.chances[place] <= GUESS:
                fresh = []
            for name in fresh:
                open_.append(guess(InsightKind(kind), one))
                tags[id(open_[-1])] = name
                _KEEP.append(open_[-1])


_KEEP: list[Standing] = []  # so that no two of them ever have one id


def linked(found: Sequence[Asked], which: str) -> Links:
    """A small network that says which of what is open a message ends, or speaks of."""
    every = np.concatenate([one.rows for one in found])
    middle, spread = every.mean(0), every.std(0) + 1e-2
    most = max(len(one.rows) for one in found)
    x = torch.zeros(len(found), most, every.shape[1])
    there, truth = torch.zeros(len(found), most, dtype=torch.bool), torch.zeros(len(found), most + 1)
    for place, one in enumerate(found):
        x[place, : len(one.rows)] = torch.tensor(np.clip((one.rows - middle) / spread, -MOST, MOST))
        there[place, : len(one.rows)] = True
        right: list[int] = getattr(one, which)
        truth[place, right or [most]] = 1
    torch.manual_seed(0)
    inside, out = torch.nn.Linear(every.shape[1], HIDDEN), torch.nn.Linear(HIDDEN, 1)
    none = torch.nn.Parameter(torch.tensor(1.0))
    optimizer = torch.optim.AdamW([*inside.parameters(), *out.parameters(), none], weight_decay=0.05)
    for epoch in range(EPOCHS):
        for group in optimizer.param_groups:
            group["lr"] = 4e-3 * (1 - epoch / EPOCHS) + 1e-4
        for some in torch.randperm(len(found)).split(64):
            hidden = functional.dropout(torch.tanh(inside(x[some])), 0.2)
            scores = out(hidden)[..., 0].masked_fill(~there[some], -1e9)
            chances = torch.log_softmax(torch.cat([scores, none.expand(len(some), 1)], 1), 1)
            loss = -torch.logsumexp(chances.masked_fill(truth[some] == 0, -1e9), 1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    weights = {
        "mean": middle, "spread": spread, "in": inside.weight.T, "in_bias": inside.bias, "out": out.weight[0],
        "out_bias": out.bias[0], "none": none,
    }  # fmt: skip
    return {f"{which}_{name}": np.asarray(torch.as_tensor(value).detach()) for name, value in weights.items()}


@dataclass
class Rounds:
    """What was learned without each part of the writers, and what was asked in their channels."""

    says: dict[int, Links]
    asked: dict[int, list[Asked]]
    middle: Floats

    def heads(self, part: int) -> Heads:
        """The heads that know nothing of a part."""
        return self._with(
            self.says[part], [one for number, some in self.asked.items() if number != part for one in some]
        )

    def final(self, lines: Sequence[Line]) -> Heads:
        """The heads that know all."""
        return self._with(says(lines), [one for some in self.asked.values() for one in some])

    def _with(self, first: Links, found: Sequence[Asked]) -> Heads:
        links = {**linked(found, "ending"), **linked(found, "speaking")}
        return Heads({**first, **links, "middle": self.middle})


def rounds(channels: dict[str, list[Line]], part: dict[str, int]) -> Rounds:
    """Links are learned from chances as they are of writers who were left out."""
    middle = np.mean([line.alone.mean[POINT_LAYERS] for lines in channels.values() for line in lines], 0)
    blank = {f"{link}_{name}": np.zeros(1, np.float32) for link in LINKS for name in PARTS_OF_A_LINK}
    first: dict[int, Links] = {}
    found: dict[int, list[Asked]] = defaultdict(list)
    for number in range(PARTS):
        first[number] = says(
            [line for name, lines in channels.items() if part[name] != number for line in lines]
        )
        heads = Heads({**first[number], **blank, "middle": middle})
        for name, lines in channels.items():
            if part[name] == number:
                found[number] += asked(lines, heads)
    return Rounds(first, found, middle)


def found_in(lines: Sequence[Line], heads: Heads, bounds: Bounds) -> Score:
    """The score of one channel, scored as the insights of a memory are."""
    names = names_of(speakers_of([line.message for line in lines], []))
    made: dict[str, list[str]] = defaultdict(list)
    closed: dict[str, str] = {}
    for step in follow([heard(heads, line) for line in lines], [], heads, names, bounds=bounds):
        if isinstance(step, InsightDraft):
            made[str(step.dedupe_key)] += step.provenance
        elif isinstance(step, Closing):
            closed.setdefault(step.dedupe_key, step.message.id)
    at = lines[0].message.sent_at
    insights = [
        Insight(
            id=key, space_id="s", kind=InsightKind(key.partition(":")[0]), title=key, task_label="",
            dedupe_key=key,
            provenance=list(dict.fromkeys([*sources, *([closed[key]] if key in closed else [])])),
            closed_by=closed.get(key), observed_at=at, created_at=at, updated_at=at,
        )
        for key, sources in made.items()
    ]  # fmt: skip
    return score(lines[0].writer, [line.message.id for line in lines], insights)


def shown(total: Score) -> str:
    return (
        f"precision {total.right / max(total.found, 1):.3f} of {total.found},"
        f" recall {total.met / total.expected:.3f} of {total.expected},"
        f" twins {total.twins}, closed {total.closed / max(total.ends, 1):.2f}"
        f" by the right message {total.by_right / max(total.ends, 1):.2f} of {total.ends}"
    )


def tried() -> Iterator[Bounds]:
    yield BOUNDS
    for told in (0.35, 0.5):
        yield replace(BOUNDS, told=told, ends=0.15, ends_guess=0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--final", action="store_true")
    parser.add_argument("--bounds", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    kept = options.out / "states.pkl"
    states: States = pickle.loads(kept.read_bytes()) if kept.is_file() else {}
    real = [writer for writer in writers() if writer.facts["set"] == "train"]
    scenes = [read(path) for path in sorted((FOLDER / "scenes").glob("*.txt"))]
    channels = {writer.name: lines_of(writer, states) for writer in (*real, *scenes)}
    kept.write_bytes(pickle.dumps(states))
    ordered = sorted(real, key=lambda one: (one.facts["language"], one.name))
    part = {writer.name: number % PARTS for number, writer in enumerate((*ordered, *scenes))}
    made = rounds(channels, part)
    if options.final:
        final = made.final([line for lines in channels.values() for line in lines])
        np.savez_compressed(options.out / FILE, **final.weights)  # type: ignore[arg-type]
    if not options.final or options.bounds:
        heads = {number: made.heads(number) for number in range(PARTS)}
        for bounds in tried() if options.bounds else (BOUNDS,):
            total = Score()
            for writer in real:
                total.add(found_in(channels[writer.name], heads[part[writer.name]], bounds))
            print(bounds, shown(total), flush=True)


if __name__ == "__main__":
    main()
