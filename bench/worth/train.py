"""Trains the model of worth and judges it by writers that it has not read.

    python -m bench.worth.train TRUNK WRITERS OUT [--folds 5] [--epochs 10] [--final]

It learns from the channels of `bench/data/channels` too, of which message is evidence of what. With `--folds`
the training writers are left out in turn, for choosing, and what is said of their channels is written to
`heard.json`; `--final` trains on all of them,
writes `worth.pt` and judges it on the writers held out.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional
from transformers import BertConfig, BertModel

from bench.worth import channels
from bench.worth.trunk import weights as read_weights
from bench.worth.units import UNLABELLED, Turn, Unit, load
from bethink.models.worth import channel
from bethink.models.worth.said import INSIGHTS, KINDS, LABELS, MARKS, PARTS, SLOTS
from bethink.models.worth.windows import BEFORE, Window, windows

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SIZE = 384
WORDS = "encoder.embeddings.word_embeddings.weight"
WIDTH = sum(PARTS.values())
WARMTH = 0.1  # of the likeness of topics
INSIGHT = 7.5  # weight of what messages of channels are evidence of: most are of nothing


def trunk(folder: Path, layers: int) -> BertModel:
    """The encoder with the weights of the trunk."""
    found = read_weights(folder)
    words = found["emb.word"].reshape(-1, SIZE)
    settings = BertConfig(
        vocab_size=len(words), hidden_size=SIZE, num_hidden_layers=layers, num_attention_heads=12,
        intermediate_size=1536, max_position_embeddings=512, type_vocab_size=2, layer_norm_eps=1e-12,
        attn_implementation="sdpa",
    )  # fmt: skip
    model = BertModel(settings, add_pooling_layer=False)
    kinds = found["emb.type"].reshape(-1, SIZE)
    weights = {
        "embeddings.word_embeddings.weight": words,
        "embeddings.position_embeddings.weight": found["emb.pos"].reshape(-1, SIZE),
        "embeddings.token_type_embeddings.weight": np.stack([kinds[0], kinds[0]]),
        "embeddings.LayerNorm.weight": found["emb.ln.w"],
        "embeddings.LayerNorm.bias": found["emb.ln.b"],
    }
    names = {
        "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
        "ao": "attention.output.dense", "aln": "attention.output.LayerNorm", "fi": "intermediate.dense",
        "fo": "output.dense", "oln": "output.LayerNorm",
    }  # fmt: skip
    chosen = (
        np.linspace(0, 11, layers).round().astype(int)
    )  # fewer layers: evenly spread over those there are
    for new, old in enumerate(chosen):
        for short, name in names.items():
            for part, full in (("w", "weight"), ("b", "bias")):
                values = found[f"l{old}.{short}.{part}"]
                shape = model.state_dict()[f"encoder.layer.{new}.{name}.{full}"].shape
                weights[f"encoder.layer.{new}.{name}.{full}"] = values.reshape(tuple(shape))
    loaded = model.load_state_dict(
        {name: torch.tensor(np.asarray(values, np.float32)) for name, values in weights.items()}, strict=False
    )
    missing = [name for name in loaded.missing_keys if "position_ids" not in name]
    if missing or loaded.unexpected_keys:
        raise ValueError(f"{missing} are missing, {loaded.unexpected_keys} are not expected")
    return model


class Worth(nn.Module):
    """Reads a window once; says of every token and of the window what units are made of.

    What a unit is, is the mean of what its tokens say, and what the window adds to each of its units.
    """

    def __init__(self, encoder: BertModel) -> None:
        super().__init__()
        self.encoder, self.drop = encoder, nn.Dropout(0.1)
        self.tokens = nn.Linear(SIZE, WIDTH, bias=False)
        self.whole = nn.Linear(2 * SIZE, WIDTH)
        self.marks = nn.Linear(SIZE, len(MARKS))  # of each token

    def forward(
        self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        states = self.encoder(input_ids=ids, token_type_ids=types, attention_mask=mask).last_hidden_state
        mean = (states * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True)
        states = self.drop(states)
        return self.tokens(states), self.whole(torch.cat([states[:, 0], mean], -1)), self.marks(states)

    def heads(self) -> list[nn.Parameter]:
        return [*self.tokens.parameters(), *self.whole.parameters(), *self.marks.parameters()]


def of_units(tokens: torch.Tensor, whole: torch.Tensor, spans: torch.Tensor) -> dict[str, torch.Tensor]:
    """What is said of units: `spans` is units by tokens for each window, 1 where a token is the unit's."""
    mean = spans @ tokens.float() / spans.sum(-1, keepdim=True).clamp(min=1)
    said = torch.split(mean + whole.float().unsqueeze(1), list(PARTS.values()), -1)
    return dict(zip(PARTS, said, strict=True))


def prepared(turns: Sequence[Turn], tokenizer: Tokenizer) -> list[dict[str, Any]]:
    """One item a window, with the units that are answered in it and where in it each stands."""
    items = []
    ends = tuple(tokenizer.token_to_id(mark) or 0 for mark in ("<s>", "</s>"))  # the first is number 0
    for turn in turns:
        before = tokenizer.encode(turn.before, add_special_tokens=False).ids
        message = tokenizer.encode(turn.text, add_special_tokens=False)
        heard = bool(turn.units) and turn.units[0].label == UNLABELLED
        most = channel.TOKENS if heard else BEFORE
        for window in windows(before, message.ids, ends[0], ends[1], most):
            shift = window.first - window.start
            offsets = {number + shift: message.offsets[number] for number in range(window.start, window.end)}
            inside = [(unit, _tokens(offsets, unit)) for unit in turn.units]
            found = [(unit, span) for unit, span in inside if span]
            if found:
                units, spans = zip(*found, strict=True)
                items.append(
                    {"window": window, "units": units, "spans": spans, "offsets": offsets, "turn": turn}
                )
    return items


def _tokens(offsets: dict[int, tuple[int, int]], unit: Unit) -> tuple[int, int] | None:
    """The tokens of a window that stand in a unit."""
    inside = [number for number, (low, high) in offsets.items() if low < unit.end and high > unit.start]
    return (inside[0], inside[-1] + 1) if inside else None


def batch(items: Sequence[dict[str, Any]]) -> dict[str, torch.Tensor]:
    long = _rounded(max(len(item["window"].ids) for item in items), 64)  # few shapes are quicker
    most = _rounded(max(len(item["units"]) for item in items), 4)
    made = {
        "ids": torch.ones(len(items), long, dtype=torch.long),
        "types": torch.zeros(len(items), long, dtype=torch.long),
        "mask": torch.zeros(len(items), long),
        "spans": torch.zeros(len(items), most, long),
        "there": torch.zeros(len(items), most, dtype=torch.bool),
        "label": torch.zeros(len(items), most, dtype=torch.long),
        "kind": torch.zeros(len(items), most, len(KINDS)),
        "slot": torch.zeros(len(items), most, len(SLOTS)),
        "other": torch.zeros(len(items), most, 1),
        "replaces": torch.zeros(len(items), most, 1),
        "insight": torch.zeros(len(items), most, len(INSIGHTS)),
        "heard": torch.zeros(len(items), most, dtype=torch.bool),
        "begins": torch.zeros(len(items), long),
        "message": torch.zeros(len(items), long, dtype=torch.bool),
        "value": torch.zeros(len(items), long),
        "valued": torch.zeros(len(items), long, dtype=torch.bool),
    }
    for row, item in enumerate(items):
        window: Window = item["window"]
        made["ids"][row, : len(window.ids)] = torch.tensor(window.ids)
        made["types"][row, : len(window.ids)] = torch.tensor(window.types)
        made["mask"][row, : len(window.ids)] = 1
        labelled = _is_labelled(item)
        made["message"][row, list(item["offsets"])] = labelled
        for place, (unit, (low, high)) in enumerate(zip(item["units"], item["spans"], strict=True)):
            made["spans"][row, place, low:high] = 1
            made["there" if labelled else "heard"][row, place] = True
            made["insight"][row, place, list(unit.insights)] = 1
            if not labelled:
                continue
            made["label"][row, place] = unit.label
            made["kind"][row, place, list(unit.kinds)] = 1
            made["slot"][row, place, list(unit.slots)] = 1
            made["other"][row, place, 0] = unit.about_other
            made["replaces"][row, place, 0] = bool(unit.replaces)
            made["begins"][row, low] = 1
            if unit.values:
                made["valued"][row, low:high] = True
                for token in range(low, high):
                    start, end = item["offsets"][token]
                    if any(start < last and end > first for first, last in unit.values):
                        made["value"][row, token] = 1
    return {name: values.to(DEVICE) for name, values in made.items()}


def _is_labelled(item: dict[str, Any]) -> bool:
    """Whether it is of a conversation, and not of a channel."""
    return bool(item["units"][0].label != UNLABELLED)


def _rounded(number: int, step: int) -> int:
    return (number + step - 1) // step * step


def loss_of(
    said: dict[str, torch.Tensor], marks: torch.Tensor, wanted: dict[str, torch.Tensor]
) -> torch.Tensor:
    there, heard = wanted["there"], wanted["heard"]
    total = torch.zeros((), device=DEVICE)
    if heard.any():
        total = total + INSIGHT * functional.binary_cross_entropy_with_logits(
            said["insight"][heard], wanted["insight"][heard]
        )
    if there.any():
        label, truth = said["label"][there], wanted["label"][there]
        keep = label[:, 0] - torch.logsumexp(label[:, 1:], 1)
        total = total + functional.cross_entropy(label, truth, label_smoothing=0.05)
        total = total + 0.7 * functional.binary_cross_entropy_with_logits(keep, (truth == 0).float())
    kept = there & (wanted["label"] == 0)
    if kept.any():
        for name, weight in (("kind", 1.0), ("slot", 3.0), ("other", 0.3), ("replaces", 0.3)):
            rows = functional.binary_cross_entropy_with_logits(
                said[name][kept], wanted[name][kept], reduction="none"
            )
            total = total + weight * rows.sum(-1).mean() / (1 if rows.shape[-1] == 1 else 4)
    for place, (name, where) in enumerate(zip(MARKS, ("message", "valued"), strict=True)):
        if (chosen := wanted[where]).any():
            chance = marks[..., place].float()[chosen]
            total = total + functional.binary_cross_entropy_with_logits(chance, wanted[name][chosen])
    return total


def topic_loss(said: dict[str, torch.Tensor], items: Sequence[dict[str, Any]]) -> torch.Tensor:
    """Statements of one person on one thing are near one another, all others far."""
    rows, whose, what, where = [], [], [], []
    for row, item in enumerate(items):
        for place, unit in enumerate(item["units"]):
            if unit.topics:
                rows.append(said["topic"][row, place])
                whose.append(item["turn"].persona)
                what.append(unit.topics)
                where.append(row)
    if len(rows) < 2:
        return torch.zeros((), device=DEVICE)
    points = functional.normalize(torch.stack(rows), dim=-1)
    alike = points @ points.T / WARMTH
    count = len(rows)
    same = torch.tensor(
        [
            [i != j and whose[i] == whose[j] and bool(what[i] & what[j]) for j in range(count)]
            for i in range(count)
        ],
        device=DEVICE,
    )
    apart = torch.tensor([[where[i] != where[j] for j in range(count)] for i in range(count)], device=DEVICE)
    same, chosen = same & apart, (same & apart).any(1)
    if not chosen.any():
        return torch.zeros((), device=DEVICE)
    alike = alike.masked_fill(~apart, -1e4)
    chance = alike - torch.logsumexp(alike, 1, keepdim=True)
    return -((chance * same).sum(1)[chosen] / same.sum(1)[chosen]).mean()


def train(items: list[dict[str, Any]], folder: Path, options: argparse.Namespace, seed: int) -> Worth:
    torch.manual_seed(seed)
    random.seed(seed)
    model = Worth(trunk(folder, options.layers)).to(DEVICE).train()
    groups = [
        {"params": model.encoder.parameters(), "lr": options.rate},
        {"params": model.heads(), "lr": options.rate * 10},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    lives = _lives(items)
    steps = options.epochs * (len(range(0, len(items), options.batch)) + len(lives))
    rates = [options.rate, options.rate * 10]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rates, total_steps=steps, pct_start=0.1)
    shuffled = [_batches(items, options.batch) for _ in range(4)]  # made ahead: making them takes longest
    for epoch in range(options.epochs):
        batches = [*shuffled[epoch % len(shuffled)], *lives]
        random.shuffle(batches)
        for wanted, life in batches:
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                tokens, whole, marks = model(wanted["ids"], wanted["types"], wanted["mask"])
            said = of_units(tokens, whole, wanted["spans"])
            loss = loss_of(said, marks, wanted)
            if life:
                loss = 0.5 * loss + options.topic * topic_loss(said, life)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return model.eval()


def _packed(model: Worth) -> dict[str, Any]:
    """The weights in half the space; the table of words, which is shipped in a quarter, in a quarter."""
    state: dict[str, Any] = {name: values.half().cpu() for name, values in model.state_dict().items()}
    table = model.state_dict()[WORDS].float().cpu()
    step = table.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
    state[WORDS] = ((table / step).round().to(torch.int8), step)
    return state


def unpacked(state: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The weights as `_packed` was given them, as far as it kept them."""
    codes, step = state[WORDS]
    return {name: values.float() for name, values in state.items() if name != WORDS} | {WORDS: codes * step}


Batch = tuple[dict[str, torch.Tensor], list[dict[str, Any]]]


def _batches(items: list[dict[str, Any]], size: int) -> list[Batch]:
    """Items of like length together, so that little is padded; which ones, by chance."""
    order = sorted(items, key=lambda item: len(item["window"].ids) * random.uniform(0.8, 1.25))
    return [(batch(order[start : start + size]), []) for start in range(0, len(order), size)]


def _lives(items: list[dict[str, Any]]) -> list[Batch]:
    """All that one person says, two persons at a time, to learn what is on one thing."""
    people: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        people.setdefault(item["turn"].persona, []).append(item)
    names = sorted(people)
    random.shuffle(names)
    made = []
    for start in range(0, len(names), 2):
        life = [item for name in names[start : start + 2] for item in people[name]]
        made.append((batch(life), life))
    return made


@torch.no_grad()
def judged(model: Worth, items: list[dict[str, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """For every unit: its language, its label, its chance to be worth keeping, its slots right or not."""
    rows: dict[str, list[Any]] = {"lang": [], "writer": [], "label": [], "keep": [], "slot": [], "guess": []}
    found, said_of = np.zeros((len(MARKS), 3)), []
    for start in range(0, len(items), 64):
        some = items[start : start + 64]
        wanted = batch(some)
        tokens, whole, marks = model(wanted["ids"], wanted["types"], wanted["mask"])
        said = of_units(tokens, whole, wanted["spans"])
        for place, (name, where) in enumerate(zip(MARKS, ("message", "valued"), strict=True)):
            guess, truth = marks[..., place][wanted[where]] > 0, wanted[name][wanted[where]] > 0
            found[place] += [(guess & truth).sum().item(), guess.sum().item(), truth.sum().item()]
        chances, slots = torch.softmax(said["label"], -1).cpu().numpy(), said["slot"].cpu().numpy()
        topics = functional.normalize(said["topic"], dim=-1).cpu().numpy()
        for row, item in enumerate(some):
            for place, unit in enumerate(item["units"]):
                rows["lang"].append(item["turn"].lang)
                rows["writer"].append(item["turn"].writer)
                rows["label"].append(unit.label)
                rows["keep"].append(chances[row, place, 0])
                rows["guess"].append(int(chances[row, place].argmax()))
                best = int(slots[row, place].argmax())
                rows["slot"].append((best in unit.slots) if unit.slots else -1)
                said_of.append((item["turn"], unit, topics[row, place]))
    for name, (right, guesses, truths) in zip(MARKS, found, strict=True):
        print(f"{name}: precision {right / guesses:.3f}, recall {right / truths:.3f}", flush=True)
    report_topics(said_of)
    return {name: np.array(values) for name, values in rows.items()}


@torch.no_grad()
def heard(model: Worth, items: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of every message of a channel: the chances of what it is evidence of, and its topic."""
    found = []
    for start in range(0, len(items), 64):
        some = items[start : start + 64]
        wanted = batch(some)
        tokens, whole, _ = model(wanted["ids"], wanted["types"], wanted["mask"])
        said = of_units(tokens, whole, wanted["spans"])
        chances = torch.sigmoid(said["insight"][:, 0]).cpu().numpy()
        topics = functional.normalize(said["topic"][:, 0], dim=-1).cpu().numpy()
        for item, chance, topic in zip(some, chances, topics, strict=True):
            turn = item["turn"]
            found.append(
                {
                    "writer": turn.writer, "lang": turn.lang, "number": int(turn.talk),
                    "insights": list(turn.units[0].insights), "topics": sorted(turn.units[0].topics),
                    "chances": [round(float(value), 4) for value in chance],
                    "topic": [round(float(value), 4) for value in topic],
                }
            )  # fmt: skip
    return found


def report_heard(found: Sequence[dict[str, Any]]) -> None:
    """How well messages of channels are told apart, kind by kind."""
    chances = np.array([one["chances"] for one in found])
    for number, kind in enumerate(INSIGHTS):
        truth, chance = np.array([number in one["insights"] for one in found]), chances[:, number]
        line = f"{kind:>22} n={truth.sum():4} auc={auc(truth, chance):.3f}"
        for level in (0.3, 0.5, 0.7):
            chosen = chance > level
            right = (chosen & truth).sum()
            line += f"  @{level} {right / max(1, chosen.sum()):.2f}/{right / max(1, truth.sum()):.2f}"
        print(line, flush=True)


def report_topics(said: Sequence[tuple[Turn, Unit, np.ndarray[Any, Any]]]) -> None:
    """How well nearness of topics finds, among all that a person said before, what a statement replaces."""
    alike, truth, first, of = [], [], 0, 0
    for turn, unit, topic in said:
        if not unit.replaces or not unit.topics:
            continue
        earlier = [
            (float(topic @ other_topic), other.talk in unit.replaces and bool(old.topics & unit.topics))
            for other, old, other_topic in said
            if other.persona == turn.persona and old.topics and old is not unit and other.talk <= turn.talk
        ]
        if any(right for _, right in earlier):
            alike += [likeness for likeness, _ in earlier]
            truth += [right for _, right in earlier]
            first += max(earlier)[1]
            of += 1
    likeness, right = np.array(alike), np.array(truth)
    line = f"replaced: auc {auc(right, likeness):.3f}, nearest is it {first / max(1, of):.2f} of {of}"
    for level in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        chosen = likeness > level
        hits = (right & chosen).sum()
        line += f"  @{level} {hits / max(1, chosen.sum()):.2f}/{hits / right.sum():.2f}"
    print(line, flush=True)


def auc(truth: np.ndarray[Any, Any], chance: np.ndarray[Any, Any]) -> float:
    ranks = np.empty(len(chance))
    ranks[np.argsort(chance)] = np.arange(1, len(chance) + 1)
    ones = truth.sum()
    return float((ranks[truth].sum() - ones * (ones + 1) / 2) / max(1, ones * (len(truth) - ones)))


def report(name: str, rows: dict[str, np.ndarray[Any, Any]]) -> None:
    groups = {"all": np.ones(len(rows["lang"]), bool)}
    groups |= {lang: rows["lang"] == lang for lang in sorted(set(rows["lang"]))}
    for group, chosen in groups.items():
        truth, chance, slot = rows["label"][chosen] == 0, rows["keep"][chosen], rows["slot"][chosen]
        line = f"{name:>22} {group:>4} n={len(truth):5} auc={auc(truth, chance):.3f}"
        for level in (0.3, 0.5, 0.7, 0.85, 0.9):
            kept = chance > level
            right = (kept & truth).sum()
            line += f"  @{level} {right / max(1, kept.sum()):.2f}/{right / max(1, truth.sum()):.2f}"
        known = slot[slot >= 0]
        print(line + f"  slot {known.mean() if len(known) else 0:.2f}", flush=True)
    wrong = (rows["keep"] > 0.5) & (rows["label"] != 0)
    shares = {
        LABELS[label]: f"{(wrong & (rows['label'] == label)).sum()}/{(rows['label'] == label).sum()}"
        for label in range(1, len(LABELS))
    }
    print(f"{name:>22} kept wrongly at 0.5: {shares}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("trunk", type=Path)
    parser.add_argument("writers", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--topic", type=float, default=0.5, help="weight of what statements are on one thing")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--final", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(4)
    tokenizer = Tokenizer.from_file(str(options.trunk / "tokenizer.json"))
    learned, held = load(options.writers)
    learned += channels.load()
    items = prepared(learned, tokenizer)
    units = sum(len(item["units"]) for item in items)
    print(f"{len(learned)} messages, {len(items)} windows, {units} units on {DEVICE}", flush=True)
    name = f"{options.trunk.name} l{options.layers} e{options.epochs} r{options.rate:g}"
    writers = sorted({item["turn"].writer for item in items})
    if options.folds:
        parts, messages = [], []
        began = time.time()
        for fold in range(options.folds):
            out = set(writers[fold :: options.folds])
            model = train(
                [item for item in items if item["turn"].writer not in out],
                options.trunk,
                options,
                options.seed,
            )
            others = [item for item in items if item["turn"].writer in out]
            parts.append(judged(model, [item for item in others if _is_labelled(item)]))
            messages += heard(model, [item for item in others if not _is_labelled(item)])
        report(name, {key: np.concatenate([part[key] for part in parts]) for key in parts[0]})
        report_heard(messages)
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "heard.json").write_text(json.dumps(messages))
        print(f"{name:>22} {time.time() - began:.0f} s", flush=True)
    if options.final:
        model = train(items, options.trunk, options, options.seed)
        options.out.mkdir(parents=True, exist_ok=True)
        torch.save({"layers": options.layers, "state": _packed(model)}, options.out / "worth.pt")
        if held:
            report("held out", judged(model, prepared(held, tokenizer)))


if __name__ == "__main__":
    main()
