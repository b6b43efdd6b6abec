"""Holding a local model to a reply's shape: at each step, only tokens that lead along it.

What is fixed, such as keys and brackets, leaves the model no choice; among the allowed answers it
takes the likeliest. Which tokens lead on, llguidance says, by a grammar made from the JSON schema.
Free texts share the tokens there are, so that no reply is cut off; that is said here, as a JSON
schema leaves a text as long as it likes.

Measured over all protocols' schemas, tokens drawn at random, on a busy machine: by the schema
alone outlines-core, xgrammar and llguidance cut two thirds of the replies off in a free text, and
xgrammar left control characters in them. A token of 600 (of 32,000) cost 0.2 (0.8) ms here, 0.06
(0.5) with xgrammar, 0.4 (50) with outlines-core, 0.3 (1.5) with code of our own. llguidance has
8 MB; xgrammar brings a GPU's compiler of 280 MB on Linux.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

Schema = dict[str, Any]

FINE = 10  # numbers of a range up to this wide are given in tenths, others whole
LEAST = 24  # tokens of each free text, however few were asked for
MORE = 4  # tokens a text may take beyond its share, to end a sign of several bytes
# Text as it can stand in a JSON string; NEEDED has a letter or digit, and soon.
TERMINALS = r"""
TEXT: /[^"\\\x00-\x1f]*/
NEEDED: /[^"\\\x00-\x1f\p{L}\p{N}]?[\p{L}\p{N}][^"\\\x00-\x1f]*/
"""


class Open(ValueError):
    """A schema that leaves open how much of something there is; no reply is held to it."""


class Tokens:
    """A tokenizer as llguidance reads it; made once, as it looks at every token."""

    def __init__(self, tokenizer: Any):
        import torch
        from llguidance import LLTokenizer, TokenizerWrapper
        from llguidance.hf import from_tokenizer

        if tokenizer.eos_token_id is None:
            raise ValueError(
                "This model's tokenizer has no token for the end of a text, so its replies "
                "cannot be held to a shape: leave constrained out."
            )
        self.end = int(tokenizer.eos_token_id)
        self.spells_all = True  # in bytes, if not otherwise
        try:
            self.known = from_tokenizer(tokenizer)
        except ValueError:  # its tokens are no bytes
            self.spells_all = False
            self.known = LLTokenizer(TokenizerWrapper(_by_texts(tokenizer)))
        size = self.known.vocab_size
        spelled = [self.known.decode_bytes([token]) for token in range(size)]
        self.closing = torch.tensor([text.startswith(b'"') for text in spelled])
        self.quoting = [b'"' in text for text in spelled]

    def count(self, text: str) -> int:
        return len(self.known.tokenize_str(text))

    def spelled(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=not self.spells_all)


def _by_texts(tokenizer: Any) -> Any:
    """What each token reads like after another one; special ones as nothing."""
    anchor = tokenizer.encode("a", add_special_tokens=False)[-1]
    how = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
    before = tokenizer.decode([anchor], **how)
    pairs = [[anchor, token] for token in range(len(tokenizer))]
    texts = [text[len(before) :].encode() for text in tokenizer.batch_decode(pairs, **how)]

    class Encoded(SimpleNamespace):
        def __call__(self, text: str) -> list[int]:
            return list(tokenizer.encode(text, add_special_tokens=False))

    return Encoded(
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=tokenizer.bos_token_id,
        tokens=texts,
        special_token_ids=tokenizer.all_special_ids,
    )


class Shape(NamedTuple):
    """What a reply may be, as a rule of a grammar, and what its longest way holds."""

    rule: str
    fixed: int = 0  # tokens of all that is no free text
    signs: int = 0  # bytes of that, which are as many tokens at the most
    texts: int = 0

    @property
    def grammar(self) -> str:
        return f"start: {self.rule}{TERMINALS}"

    def room(self, asked: int) -> int:
        """Tokens of a reply: as many as asked for, or as its shape needs."""
        return max(asked, self.fixed + LEAST * self.texts + MORE + 1)

    def limit(self, asked: int) -> int:
        """What no reply of this shape passes, however a model splits what is fixed."""
        return self.room(asked) + self.signs + MORE * self.texts


def shape_of(schema: Schema, tokens: Tokens) -> Shape:
    """The shape of a closed schema, keys in their order; Open where it has a list of any length.

    {"score": 4}   `{"score": `, then one of `1` … `5`, then `}`
    """
    if "enum" in schema:
        return _one_of([_fixed(tokens.spelled(value), tokens) for value in schema["enum"]])
    if "anyOf" in schema:
        return _one_of([shape_of(one, tokens) for one in schema["anyOf"]])
    kind = schema.get("type")
    if kind == "object":
        held = [(f"{tokens.spelled(key)}: ", one) for key, one in schema["properties"].items()]
        return _listed("{", held, "}", tokens)
    if kind == "array" and schema.get("items") is False:
        return _listed("[", [("", one) for one in schema["prefixItems"]], "]", tokens)
    if kind == "string":
        text = Shape("NEEDED" if schema.get("minLength", 0) > 0 else "TEXT", texts=1)
        return _row([_fixed('"', tokens), text, _fixed('"', tokens)])
    if kind == "number" and "minimum" in schema and "maximum" in schema:
        numbers = _numbers(schema["minimum"], schema["maximum"])
        return _one_of([_fixed(number, tokens) for number in numbers])
    if kind == "null":
        return _fixed("null", tokens)
    raise Open(f"no reply is held to {json.dumps(schema)[:80]}")


def _fixed(text: str, tokens: Tokens) -> Shape:
    return Shape(json.dumps(text, ensure_ascii=False), tokens.count(text), len(text.encode()))


def _row(shapes: Sequence[Shape]) -> Shape:
    rules, *counts = zip(*shapes)
    return Shape(" ".join(rules), *map(sum, counts))


def _one_of(shapes: Sequence[Shape]) -> Shape:
    rules, *counts = zip(*shapes)
    return Shape(f"({' | '.join(rules)})", *map(max, counts))


def _listed(opening: str, held: list[tuple[str, Schema]], closing: str, tokens: Tokens) -> Shape:
    pieces = []
    for key, schema in held:
        pieces += [_fixed(opening + key, tokens), shape_of(schema, tokens)]
        opening = ", "
    end = closing if held else opening + closing
    return _row([*pieces, _fixed(end, tokens)])


def _numbers(low: float, high: float) -> list[str]:
    if high - low > FINE:
        return [str(number) for number in range(round(low), round(high) + 1)]
    return [f"{tenth / 10:g}" for tenth in range(round(low * 10), round(high * 10) + 1)]


class Constrained:
    """A logits processor for one batch, each reply in a shape of its own."""

    def __init__(self, shapes: Sequence[Shape], tokens: Tokens, asked: int):
        self._rows = [Row(shape, tokens, asked) for shape in shapes]
        self._begun = False

    def __call__(self, ids: Any, scores: Any) -> Any:
        import torch

        if self._begun:
            for row, token in zip(self._rows, ids[:, -1].tolist()):
                row.take(token)
        self._begun = True
        kept = torch.full_like(scores, -float("inf"))
        for place, row in enumerate(self._rows):
            allowed = row.allowed().nonzero().squeeze(1).to(scores.device)
            kept[place, allowed] = scores[place, allowed]
        return kept


class Row:
    """One reply on its way."""

    def __init__(self, shape: Shape, tokens: Tokens, asked: int):
        from llguidance import LLMatcher

        self._tokens = tokens
        self._matcher = LLMatcher(tokens.known, shape.grammar)
        if self._matcher.is_error():
            raise ValueError(f"no grammar of {shape.rule[:80]}: {self._matcher.get_error()}")
        self._texts = shape.texts  # that may still begin
        self._room = shape.room(asked) - shape.fixed - MORE - 1  # tokens left to them
        self._share: int | None = None  # tokens left to the free text it is in

    def allowed(self) -> Any:
        """A mask of the tokens that lead on; the end alone where none does."""
        import torch

        found = torch.zeros(self._tokens.known.vocab_size, dtype=torch.bool)
        if self._matcher.is_stopped():
            found[self._tokens.end] = True
            return found
        if forced := self._matcher.compute_ff_tokens():  # as few tokens as can be
            found[forced[0]] = True
            return found
        bias = bytearray(self._matcher.compute_logit_bias())
        found = torch.frombuffer(bias, dtype=torch.uint8).bool()
        # Nothing but free text leaves so much open.
        if self._share is None and 2 * int(found.sum()) > len(found):
            self._share = max(1, self._room // max(1, self._texts))
            self._texts -= 1
        if self._share is not None and self._share <= 0 and (found & self._tokens.closing).any():
            found &= self._tokens.closing
        return found

    def take(self, token: int) -> None:
        if self._matcher.is_stopped():
            return
        self._matcher.consume_token(token)
        if self._share is not None:
            self._share -= 1
            self._room -= 1
            if self._tokens.quoting[token]:
                self._share = None
