"""Who can be asked: one class for each kind of model, and a line for it in CLIENTS."""

from __future__ import annotations

from raterbook.judges.clients.endpoint import Endpoint
from raterbook.judges.clients.local import LocalModel
from raterbook.judges.clients.model import Client, FunctionModel, Model, Source
from raterbook.judges.clients.scripted import ScriptedModel

CLIENTS: dict[str, type[Client]] = {
    "endpoint": Endpoint,
    "local": LocalModel,
    "function": FunctionModel,
    "scripted": ScriptedModel,
}


def model_of(source: Source) -> Model:
    """The model itself, or the one that the client made for it asks.

    Later clients come first, since an endpoint takes any name.
    """
    if hasattr(source.model, "ask") and hasattr(source.model, "identity"):
        return source.model
    for client in reversed(CLIENTS.values()):
        if client.fits(source):
            return client.of(source)
    raise TypeError(
        f"{type(source.model).__name__} cannot be asked: give a function from messages to a text, "
        "an Endpoint or a LocalModel."
    )
