"""An ONNX text model: its tokenizer, its session, and what it makes of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bethink.errors import ModelError, ModelMissing
from bethink.models.weights import Weights

# No tokenizer makes this few tokens of ordinary text, and reading a megabyte to keep 512 tokens is waste.
_CHARACTERS_A_TOKEN = 16


def load_model(weights: Weights) -> OnnxModel:
    """Check the digests of the model's files, and load them."""
    return OnnxModel(*open_session(weights), weights.pooling, weights.max_tokens)


def open_session(weights: Weights) -> tuple[Any, Any]:
    """The network and the tokenizer of a model whose files are what they should be."""
    weights.check()
    try:
        onnxruntime = import_module("onnxruntime")
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ModelMissing(
            f"The local model needs onnxruntime and tokenizers ({error}); install them or set embed.source."
        ) from error
    options = onnxruntime.SessionOptions()
    # One thread a call, several calls at once: measured faster than sharing each call among the threads,
    # both for a single query and in bulk, and with no thread left spinning.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(weights.onnx), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(weights.tokenizer))
    except Exception as error:
        raise ModelError(
            f"The model in {weights.onnx.parent} could not be loaded: {error}. Fetch its files again."
        ) from error
    return session, tokenizer


class OnnxModel:
    """A loaded model. Several threads may use it at once."""

    def __init__(
        self, session: Any, tokenizer: Any, pooling: Literal["cls", "mean"], max_tokens: int
    ) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._pooling = pooling
        self._max_characters = max_tokens * _CHARACTERS_A_TOKEN
        self._pad = (tokenizer.padding or {}).get("pad_id", 0)
        self._inputs = {given.name for given in session.get_inputs()}
        outputs = [given.name for given in session.get_outputs()]
        self._output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_tokens)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Each text as token numbers, cut to what the model can read."""
        # One by one: in bulk the tokenizer starts threads, and later warns on stderr if the program forks.
        return [self._tokenizer.encode(text[: self._max_characters]).ids for text in texts]

    def pieces(self, text: str) -> list[str]:
        """The text in pieces that the model can read whole."""
        encoded = self._tokenizer.encode(text)
        spans = [
            (inside[0][0], inside[-1][1])
            for part in (encoded, *encoded.overflowing)
            if (inside := [span for span in part.offsets if span[0] < span[1]])
        ]
        return [text[start:end] for start, end in spans]

    def pairs(self, texts: Sequence[tuple[str, str]]) -> tuple[list[list[int]], list[list[int]]]:
        """Each pair as token numbers and as 0 or 1 for the text a token is of."""
        cut = [(one[: self._max_characters], other[: self._max_characters]) for one, other in texts]
        encoded = [self._tokenizer.encode(one, other) for one, other in cut]
        return [item.ids for item in encoded], [item.type_ids for item in encoded]

    def number_of(self, token: str) -> int | None:
        """The number of a token; None when the model does not know it."""
        number: int | None = self._tokenizer.token_to_id(token)
        return number

    def run(self, rows: Sequence[list[int]]) -> NDArray[np.float32]:
        """One vector, not yet scaled, for each row of token numbers."""
        output, mask = self.output(rows)
        if output.ndim == 2:
            return output
        if self._pooling == "cls":
            return output[:, 0]
        weight = mask[:, :, None].astype(np.float32)
        mean: NDArray[np.float32] = (output * weight).sum(axis=1) / weight.sum(axis=1)
        return mean

    def output(
        self, rows: Sequence[list[int]], kinds: Sequence[list[int]] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """What the model makes of rows of token numbers, and which places of it are not padding."""
        shape = (len(rows), max(map(len, rows)))
        numbers = np.full(shape, self._pad, np.int64)
        mask = np.zeros(shape, np.int64)
        types = np.zeros(shape, np.int64)
        for position, row in enumerate(rows):
            numbers[position, : len(row)] = row
            mask[position, : len(row)] = 1
            if kinds is not None:
                types[position, : len(row)] = kinds[position]
        given = {"input_ids": numbers, "attention_mask": mask, "token_type_ids": types}
        feed = {name: array for name, array in given.items() if name in self._inputs}
        output: NDArray[np.float32] = self._session.run([self._output], feed)[0]
        return output, mask


def batches(lengths: Sequence[int], most_texts: int, most_tokens: int) -> Iterator[list[int]]:
    """Positions of texts of like length, so that little is padded; a few long texts are a batch too."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        padded = (len(batch) + 1) * lengths[position]
        if batch and (len(batch) == most_texts or padded > most_tokens):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch
