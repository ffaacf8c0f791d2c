"""Trains the model of worth and judges it by writers that it has not read.

    python -m bench.worth.train TRUNK WRITERS OUT [--folds 5] [--epochs 10] [--final]

With `--folds` the training writers are left out in turn, for choosing; `--final` trains on all of them,
writes `worth.pt` and judges it on the writers held out.
"""

from __future__ import annotations

import argparse
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

from bench.worth.encode import windows
from bench.worth.trunk import weights as read_weights
from bench.worth.units import KINDS, LABELS, SLOTS, Turn, load

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SIZE = 384
PARTS = {"label": len(LABELS), "kind": len(KINDS), "slot": len(SLOTS), "other": 1, "replaces": 1}


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
    """Reads a window once and says of every unit in it what it is."""

    def __init__(self, encoder: BertModel) -> None:
        super().__init__()
        self.encoder, self.drop = encoder, nn.Dropout(0.1)
        self.heads = nn.ModuleDict({name: nn.Linear(3 * SIZE, size) for name, size in PARTS.items()})

    def forward(
        self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor, spans: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        """`spans` is units by tokens for each window; the answers are by window and unit."""
        states = self.encoder(input_ids=ids, token_type_ids=types, attention_mask=mask).last_hidden_state
        mean = spans @ states / spans.sum(-1, keepdim=True).clamp(min=1)
        whole = (states * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True)
        apart = (
            torch.stack([states[:, 0], whole], 1).reshape(len(ids), 1, 2 * SIZE).expand(-1, mean.shape[1], -1)
        )
        joined = self.drop(torch.cat([mean, apart], -1))
        return tuple(head(joined) for head in self.heads.values())


def prepared(turns: Sequence[Turn], tokenizer: Tokenizer) -> list[dict[str, Any]]:
    """One item a window, with what its units are."""
    items = []
    ends = int(tokenizer.token_to_id("<s>") or 0), int(tokenizer.token_to_id("</s>") or 0)
    for turn in turns:
        places = [(unit.start, unit.end) for unit in turn.units]
        for window in windows(tokenizer, turn.before, turn.text, places, *ends):
            units = [turn.units[number] for number in window.units]
            items.append({"window": window, "units": units, "lang": turn.lang, "writer": turn.writer})
    return items


def batch(items: Sequence[dict[str, Any]]) -> dict[str, torch.Tensor]:
    long = max(len(item["window"].ids) for item in items)
    most = max(len(item["units"]) for item in items)
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
    }
    for row, item in enumerate(items):
        window = item["window"]
        made["ids"][row, : len(window.ids)] = torch.tensor(window.ids)
        made["types"][row, : len(window.ids)] = torch.tensor(window.types)
        made["mask"][row, : len(window.ids)] = 1
        for place, (unit, (low, high)) in enumerate(zip(item["units"], window.spans, strict=True)):
            made["spans"][row, place, low:high] = 1
            made["there"][row, place] = True
            made["label"][row, place] = unit.label
            made["kind"][row, place, list(unit.kinds)] = 1
            made["slot"][row, place, list(unit.slots)] = 1
            made["other"][row, place, 0] = unit.about_other
            made["replaces"][row, place, 0] = unit.replaces
    return {name: values.to(DEVICE) for name, values in made.items()}


def loss_of(answers: tuple[torch.Tensor, ...], wanted: dict[str, torch.Tensor]) -> torch.Tensor:
    said = dict(zip(PARTS, answers, strict=True))
    there = wanted["there"]
    label, truth = said["label"].float()[there], wanted["label"][there]
    keep = label[:, 0] - torch.logsumexp(label[:, 1:], 1)
    total = functional.cross_entropy(label, truth, label_smoothing=0.05)
    total = total + 0.7 * functional.binary_cross_entropy_with_logits(keep, (truth == 0).float())
    kept = there & (wanted["label"] == 0)
    if kept.any():
        for name, weight in (("kind", 0.5), ("slot", 1.0), ("other", 0.3), ("replaces", 0.3)):
            rows = functional.binary_cross_entropy_with_logits(
                said[name].float()[kept], wanted[name][kept], reduction="none"
            )
            total = total + weight * rows.sum(-1).mean() / (1 if rows.shape[-1] == 1 else 4)
    return total


def train(items: list[dict[str, Any]], folder: Path, options: argparse.Namespace, seed: int) -> Worth:
    torch.manual_seed(seed)
    random.seed(seed)
    model = Worth(trunk(folder, options.layers)).to(DEVICE).train()
    groups = [
        {"params": model.encoder.parameters(), "lr": options.rate},
        {"params": model.heads.parameters(), "lr": options.rate * 10},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = options.epochs * ((len(items) + options.batch - 1) // options.batch)
    rates = [options.rate, options.rate * 10]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rates, total_steps=steps, pct_start=0.1)
    order = list(items)
    for _ in range(options.epochs):
        random.shuffle(order)
        for start in range(0, len(order), options.batch):
            wanted = batch(order[start : start + options.batch])
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                answers = model(wanted["ids"], wanted["types"], wanted["mask"], wanted["spans"])
            loss = loss_of(answers, wanted)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return model.eval()


@torch.no_grad()
def judged(model: Worth, items: list[dict[str, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """For every unit: its language, its label, its chance to be worth keeping, its slots right or not."""
    rows: dict[str, list[Any]] = {"lang": [], "writer": [], "label": [], "keep": [], "slot": [], "guess": []}
    for start in range(0, len(items), 64):
        some = items[start : start + 64]
        wanted = batch(some)
        label, _, slot, *_ = model(wanted["ids"], wanted["types"], wanted["mask"], wanted["spans"])
        chances, slots = torch.softmax(label.float(), -1).cpu().numpy(), slot.float().cpu().numpy()
        for row, item in enumerate(some):
            for place, unit in enumerate(item["units"]):
                rows["lang"].append(item["lang"])
                rows["writer"].append(item["writer"])
                rows["label"].append(unit.label)
                rows["keep"].append(chances[row, place, 0])
                rows["guess"].append(int(chances[row, place].argmax()))
                best = int(slots[row, place].argmax())
                rows["slot"].append((best in unit.slots) if unit.slots else -1)
    return {name: np.array(values) for name, values in rows.items()}


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
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--final", action="store_true")
    options = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(options.trunk / "tokenizer.json"))
    learned, held = load(options.writers)
    items = prepared(learned, tokenizer)
    units = sum(len(item["units"]) for item in items)
    print(f"{len(learned)} messages, {len(items)} windows, {units} units on {DEVICE}", flush=True)
    name = f"{options.trunk.name} l{options.layers} e{options.epochs} r{options.rate:g}"
    writers = sorted({item["writer"] for item in items})
    if options.folds:
        parts = []
        began = time.time()
        for fold in range(options.folds):
            out = set(writers[fold :: options.folds])
            model = train(
                [item for item in items if item["writer"] not in out], options.trunk, options, options.seed
            )
            parts.append(judged(model, [item for item in items if item["writer"] in out]))
        report(name, {key: np.concatenate([part[key] for part in parts]) for key in parts[0]})
        print(f"{name:>22} {time.time() - began:.0f} s", flush=True)
    if options.final:
        model = train(items, options.trunk, options, options.seed)
        options.out.mkdir(parents=True, exist_ok=True)
        torch.save({"layers": options.layers, "state": model.state_dict()}, options.out / "worth.pt")
        if held:
            report("held out", judged(model, prepared(held, tokenizer)))


if __name__ == "__main__":
    main()
