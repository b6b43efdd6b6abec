"""The dataset of an evaluation: rows under the protocol's names, each with the key of its item."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from raterbook.protocols import Protocol

if TYPE_CHECKING:
    import pandas as pd

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
