"""EvaluateModel: the feedback guide's pipeline, for Hugging Face models and for any function."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.judges.clients.faults import scrubbed
from raterbook.judges.clients.model import Reply, storable
from raterbook.judges.evaluate.gen_ai import (
    PROTOCOLS,
    Source,
    filled,
    read_gen_ai,
    system_text,
    user_text,
)
from raterbook.judges.evaluate.table import classification, line_of, summary_of, table_of
from raterbook.judges.replies import Parsed, parse
from raterbook.judges.sheets import Sheet
from raterbook.protocols import Protocol, load

if TYPE_CHECKING:
    import pandas as pd

    from raterbook.judges.clients.local import LocalModel


AnyPath = str | os.PathLike[str]


class EvaluateModel:
    """Evaluates a dataset with a model; `model_type` is feedback_generation or ai_detection.

    `model` is a loaded Hugging Face model with its `tokenizer`, or a function from a prompt,
    {"system": …, "user": …}, to a text; None only builds prompts. `few_shot_prompt` is a
    gen_ai.json in place of the one that comes with raterbook. `device` automap takes cuda, else
    mps, else cpu.
    """

    def __init__(
        self,
        dataset: Any,
        model_type: str,
        model: Any = None,
        tokenizer: Any = None,
        device: Any = "automap",
        few_shot_prompt: Source = None,
        *,
        name: str | None = None,
        batch_size: int = 4,
        max_new_tokens: int = 1024,
    ):
        if model_type not in PROTOCOLS:
            raise ValueError(f"model_type {model_type!r} is not one of {', '.join(PROTOCOLS)}")
        self.model_type = model_type
        self.protocol = load(PROTOCOLS[model_type])
        self.dataset, self._rows = rows_of(dataset, model_type, self.protocol)
        self.model, self.tokenizer, self.device = model, tokenizer, device
        self.batch_size, self.max_new_tokens = batch_size, max_new_tokens
        sections = read_gen_ai(few_shot_prompt)
        if model_type not in sections:
            raise ValueError(f"The prompt has no section {model_type!r}: {', '.join(sections)}")
        self.section = sections[model_type]
        self.dataset_prompt: list[dict[str, str]] = []
        self.results: pd.DataFrame | None = None
        self._name = name
        self._local: LocalModel | None = None

    # Prompts

    def construct_data_messages(self) -> list[dict[str, str]]:
        """Fills `dataset_prompt`, one {"system", "user"} per row; again, it fills it anew."""
        inputs = [
            name for name in INPUTS[self.model_type][0] if any(name in row for row in self._rows)
        ]
        system = system_text(self.section, inputs)
        self.dataset_prompt = [
            {"system": filled(system, row), "user": user_text(row, inputs)} for row in self._rows
        ]
        return self.dataset_prompt

    construct_data_message = construct_data_messages

    # Evaluation

    def model_based_evaluation(
        self, output_file: AnyPath | None = None, verbose: bool = True
    ) -> pd.DataFrame:
        """Every row through the model; prints the results and returns them.

        With an `output_file` (JSONL) each result is added to it as it comes, and rows that are
        in it already, from the same model and prompt, are not evaluated again.
        """
        if self.model is None:
            raise ValueError(
                "model_based_evaluation needs a model: EvaluateModel(…, model=…, tokenizer=…), "
                "or a function; construct_data_message() makes the prompts without one."
            )
        frame = self._evaluate(self._answer, self._model_name(), output_file)
        if verbose:
            print(summary_of(frame, self.protocol))
        return frame

    def evaluate_commercial_model(
        self,
        function: Callable[[dict[str, str]], str],
        output_file: AnyPath | None = None,
        name: str | None = None,
        verbose: bool = True,
    ) -> pd.DataFrame:
        """Every prompt through a function that calls some service; as model_based_evaluation."""
        label = str(name or self._name or getattr(function, "__name__", "function"))
        frame = self._evaluate(
            lambda some: [_called(function, one) for one in some], label, output_file, 1
        )
        if verbose:
            print(summary_of(frame, self.protocol))
        return frame

    def parse(self, text: str, row: int = 0) -> Parsed:
        """What one reply says, for those who call a service in a loop of their own."""
        prompt = self.dataset_prompt[row] if row < len(self.dataset_prompt) else {}
        return parse(text, self._sheet(row), prompt="\n\n".join(prompt.values()))

    def evaluate_generative_model(self, metrics: Sequence[str] | str | None = None) -> pd.DataFrame:
        """Mean, spread and counts per criterion over the results so far."""
        if self.results is None:
            raise ValueError("There are no results yet: run model_based_evaluation() first.")
        return table_of(self.results, self.protocol, metrics)

    def evaluate_classification_model(
        self, average: str = "macro", positive: Any = None
    ) -> dict[str, Any]:
        """Accuracy, precision, recall and F1 of the dataset's predictions against its labels."""
        if self.model_type != "ai_detection":
            raise ValueError(
                "evaluate_classification_model is for ai_detection, which has labels and "
                f"predictions; this is {self.model_type}"
            )
        labels = [row["label"] for row in self._rows]
        found = classification(labels, [row["prediction"] for row in self._rows], average, positive)
        print(", ".join(f"{name} {_short(value)}" for name, value in found.items()))
        return found

    def _evaluate(
        self,
        answer: Callable[[list[dict[str, str]]], list[Reply]],
        name: str,
        output_file: AnyPath | None,
        batch_size: int | None = None,
    ) -> pd.DataFrame:
        prompts = self.dataset_prompt or self.construct_data_messages()
        file, lines = EvaluationFile(output_file), dict[int, dict[str, Any]]()
        marks = [hashlib.sha256("\n".join(one.values()).encode()).hexdigest() for one in prompts]
        for place, row in enumerate(self._rows):
            found = file.find(row["item"], marks[place], name)
            if found is not None:
                lines[place] = found
        waiting = [place for place in range(len(prompts)) if place not in lines]
        size = batch_size or self.batch_size
        for start in range(0, len(waiting), size):
            batch = waiting[start : start + size]
            for place, reply in zip(batch, answer([prompts[place] for place in batch])):
                parsed = (
                    None
                    if reply.error
                    else parse(
                        reply.text,
                        self._sheet(place),
                        cut=reply.cut,
                        prompt="\n\n".join(prompts[place].values()),
                    )
                )
                line = line_of(self._rows[place]["item"], reply, parsed, self.protocol)
                now = datetime.now(UTC).isoformat(timespec="seconds")
                line.update(model=name, prompt_sha=marks[place], created_at=now)
                file.add(line)
                lines[place] = line
        import pandas as pd

        ordered = [lines[place] for place in range(len(prompts))]
        self.results = pd.DataFrame(ordered)
        return self.results

    def _answer(self, prompts: list[dict[str, str]]) -> list[Reply]:
        if not hasattr(self.model, "generate"):
            return [_called(self.model, prompt) for prompt in prompts]
        if self._local is None:
            from raterbook.judges.clients.local import LocalModel

            self._local = LocalModel(
                model=self.model,
                tokenizer=self.tokenizer,
                device=self.device,
                max_new_tokens=self.max_new_tokens,
                batch_size=self.batch_size,
            )
        conversations = [
            [{"role": role, "content": prompt[role]} for role in ("system", "user")]
            for prompt in prompts
        ]
        return self._local.answer(conversations)

    def _model_name(self) -> str:
        config = getattr(self.model, "config", None)
        given = getattr(config, "name_or_path", "") or getattr(self.model, "__name__", "")
        return self._name or str(given).rstrip("/").rpartition("/")[2] or "model"

    def _sheet(self, row: int) -> Sheet:
        item, asked = str(self._rows[row]["item"]), self.protocol.questions
        return Sheet(self.protocol, item, "item", asked, {})


def _called(function: Callable[[dict[str, str]], Any], prompt: dict[str, str]) -> Reply:
    try:
        found = function(prompt)
    except Exception as error:
        return Reply(error=scrubbed(f"{type(error).__name__}: {error}"))
    if not isinstance(found, str):
        return Reply(error=f"the function returned {type(found).__name__}, not a text")
    return Reply(storable(found))


def _short(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


# The dataset of an evaluation: rows under the protocol's names, each with the key of its item.


# model type → columns of the prompt's input, and which of them may be absent
INPUTS = {
    "feedback_generation": (("text", "domain", "criteria"), ("criteria",)),
    "ai_detection": (("text", "label", "prediction"), ()),
}
_ALSO = {"generated_texts": "text", "generated_text": "text"}


def rows_of(
    dataset: Any, model_type: str, protocol: Protocol
) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """The dataset as a frame, and its rows by field name with `item`, the key they go by."""
    frame = _frame(dataset)
    headers = _headers(frame, protocol)
    inputs, optional = INPUTS[model_type]
    missing = [name for name in inputs if name not in headers and name not in optional]
    if missing:
        plural = {"label": "labels", "prediction": "predictions"}
        wanted = ", ".join(plural.get(name, name) for name in missing)
        raise ValueError(
            f"The dataset lacks {wanted}: {model_type} needs the columns "
            f"{', '.join(plural.get(name, name) for name in inputs)}"
            + (f" ({', '.join(optional)} may be absent)" if optional else "")
            + f"; it has {', '.join(map(str, frame.columns)) or 'none'}."
        )
    rows = []
    for number, record in enumerate(frame.to_dict("records"), start=1):
        row = {name: _given(record[header]) for name, header in headers.items()}
        has_key = row.get(protocol.item.case) not in (None, "")
        row["item"] = protocol.key(row) if has_key else f"row-{number}"
        rows.append(row)
    return frame, rows


def _frame(dataset: Any) -> pd.DataFrame:
    import pandas as pd

    if isinstance(dataset, pd.DataFrame):
        return dataset
    if isinstance(dataset, str | os.PathLike):
        return pd.read_csv(dataset, keep_default_na=False)
    return pd.DataFrame(dataset)


def _headers(frame: pd.DataFrame, protocol: Protocol) -> dict[str, Any]:
    """Field name → the column that holds it."""
    names = {alias.casefold(): name for alias, name in _ALSO.items()}
    for name, field in protocol.item.fields.items():
        for alias in (*field.aliases, name):
            names[alias.casefold()] = name
    found: dict[str, Any] = {}
    for column in frame.columns:
        meant = names.get(str(column).strip().casefold())
        if meant is not None and (meant not in found or str(column) == meant):
            found[meant] = column
    return found


def _given(value: Any) -> Any:
    """A missing cell is None."""
    is_missing = isinstance(value, float) and value != value
    return None if is_missing else value


# Results of an evaluation as JSONL: one line per item, added as it comes, so a run can go on.


class EvaluationFile:
    """Lines are appended and synced; a torn last line, left by a kill, is cut off at the start."""

    def __init__(self, path: str | os.PathLike[str] | None):
        self.path = None if path is None else Path(path)
        self._done: dict[tuple[str, str, str], dict[str, Any]] = {}
        if self.path is not None and self.path.exists():
            self._cut_off_torn_line()
            for line in self._lines():
                if line.get("status") != "api_error":
                    self._done[_key(line)] = line

    def __len__(self) -> int:
        return len(self._done)

    def find(self, item: str, prompt_sha: str, model: str) -> dict[str, Any] | None:
        """The line of an item that was evaluated with this prompt by this model."""
        return self._done.get((item, prompt_sha, model))

    def add(self, line: dict[str, Any]) -> None:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")
                file.flush()
                os.fsync(file.fileno())
        if line.get("status") != "api_error":
            self._done[_key(line)] = line

    def _lines(self) -> Iterator[dict[str, Any]]:
        assert self.path is not None
        for number, text in enumerate(self.path.read_text(encoding="utf-8").splitlines(), start=1):
            if not text.strip():
                continue
            try:
                line = json.loads(text)
            except (ValueError, RecursionError):
                line = None
            if not isinstance(line, dict) or "item" not in line:
                raise ValueError(
                    f"{self.path}, line {number}: no line of an evaluation; "
                    "give another output file, or correct this one"
                )
            yield line

    def _cut_off_torn_line(self) -> None:
        assert self.path is not None
        content = self.path.read_bytes()
        if content and not content.endswith(b"\n"):
            kept = content.rfind(b"\n") + 1
            with self.path.open("r+b") as file:
                file.truncate(kept)


def _key(line: dict[str, Any]) -> tuple[str, str, str]:
    return str(line["item"]), str(line.get("prompt_sha", "")), str(line.get("model", ""))
