"""Questions and answers on their way into the round; said again, they change nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from raterbook.judges import saving
from raterbook.judges.questeval.replies import Draft, Outcome
from raterbook.judges.questeval.tasks import ASKED, Task
from raterbook.judges.reply import storable
from raterbook.protocols import Question
from raterbook.rounds import Event, PartRow, RoundError

if TYPE_CHECKING:
    from raterbook.rounds import StoredRound

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Keeper:
    """Stores `at_once` texts in one transaction: one where each was paid for, many for rules.

    A model that was never reached leaves no rater, and its name can be used again.
    """

    def __init__(self, stored: StoredRound, rater: str, version: str, at_once: int = 1):
        self._stored, self._rater, self._version = stored, rater, version
        self._at_once, self._joined = at_once, False
        self._drafts: list[tuple[str, list[PartRow]]] = []
        self._events: list[Event] = []
        self._texts = 0
        self._standing: dict[tuple[str, int, str], Any] = {}

    def begin(self) -> None:
        """What this rater has answered so far."""
        self._standing = dict(saving.standing(self._stored, self._rater))

    def join(self) -> None:
        """The rater is one of the round from its first reply on."""
        if not self._joined:
            self._stored.add_rater(self._rater, kind="model", version=self._version)
            self._joined = True

    def questions(self, case: str, drafts: Iterable[Draft], prompt: str) -> int:
        """The drafts become parts of the case; how many they are."""
        rows = [
            PartRow(case, number, clean(draft.question), self._fields(draft, prompt))
            for number, draft in enumerate(drafts, start=1)
        ]
        self._drafts.append((case, rows))
        self._count()
        return len(rows)

    def answers(self, task: Task, outcome: Outcome) -> int:
        """The answers, or that there are none and why; how many answers are new."""
        question = self._stored.protocol.question(ASKED[task.step])
        fresh = [
            event for part in task.questions
            if self._is_new(event := event_of(task, question, part, outcome))
        ]
        self._events += fresh
        self._count()
        return sum(event.status == "answered" for event in fresh)

    def flush(self) -> None:
        """On the disk when this returns."""
        drafts, events = self._drafts, self._events
        self._drafts, self._events, self._texts = [], [], 0
        if drafts:
            self._add(drafts)
        saving.put(self._stored, self._rater, events)

    def _count(self) -> None:
        self._texts += 1
        if self._texts >= self._at_once:
            self.flush()

    def _is_new(self, event: Event) -> bool:
        where = (event.subject, event.part, event.question)
        before = self._standing.get(where)
        if before is not None:
            if (before.status, before.value, before.reason) == (
                event.status, event.value, event.reason
            ):
                return False
            if before.status == "answered" and event.status != "answered":
                return False  # a failure takes nothing back
        self._standing[where] = event
        return True

    def _add(self, drafts: list[tuple[str, list[PartRow]]]) -> None:
        """Under numbers of their own, so that two runs at once cannot both write a case's."""
        try:
            self._stored.add_parts([row for _, rows in drafts for row in rows])
        except RoundError:
            taken = {case.key for case in self._stored.cases() if case.parts}
            rest = [row for case, rows in drafts if case not in taken for row in rows]
            # Numbers of retired questions are not used again.
            again = [PartRow(row.subject, None, row.text, row.fields) for row in rest]
            if again:
                self._stored.add_parts(again)

    def _fields(self, draft: Draft, prompt: str) -> dict[str, str]:
        fields = {"written_by": f"{self._rater} ({prompt})"}
        if draft.key_info.strip():
            fields["key_info"] = clean(draft.key_info)
        return fields


def event_of(task: Task, question: Question, part: int, outcome: Outcome) -> Event:
    """One answer as it is stored, or skipped with the status of the reply as its reason."""
    skipped = "" if outcome.ok and outcome.answers is not None else outcome.status
    said = (outcome.answers or {}).get(part, "")
    if not skipped and not said.strip():
        skipped = "blank"
    if skipped:
        return Event(None, task.ref, question.id, None, part, status="skipped", reason=skipped)
    return Event(None, task.ref, question.id, normal(question, said), part)


def normal(question: Question, said: str) -> str:
    """The answer as it is stored: as a judge's reply is read."""
    return str(question.check(" ".join(storable(said).split())))


def clean(text: str) -> str:
    """Without the characters that no file can hold."""
    return _UNSTORABLE.sub("", text)
