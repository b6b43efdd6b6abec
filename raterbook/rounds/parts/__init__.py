"""Parts: the pieces of an item that are asked about by themselves."""

from raterbook.rounds.parts.sentences import Sentence, sentences

__all__ = ["Sentence", "sentences"]
