"""Every probe holds, and every class of probes has a control that fires."""

import importlib

import pytest

# A module of this folder each, with PROBES and CONTROLS.
CLASSES = (
    "archives",
    "database",
    "dense",
    "endpoints",
    "files",
    "messages",
    "names",
    "pages",
    "replies",
)

TABLES = {name: importlib.import_module(f"tests.hostile.{name}") for name in CLASSES}


def _listed(kind):
    return [
        pytest.param(probe, id=f"{name}: {probe.name}")
        for name, table in TABLES.items()
        for probe in getattr(table, kind)
    ]


@pytest.mark.parametrize("probe", _listed("PROBES"))
def test_a_probe_holds(probe, tmp_path):
    assert probe.attack(tmp_path) is None


@pytest.mark.parametrize("control", _listed("CONTROLS"))
def test_a_control_fires(control, tmp_path):
    assert control.attack(tmp_path)


def test_every_line_of_the_list_of_faults_has_a_probe():
    named = {
        line
        for table in TABLES.values()
        for probe in table.PROBES
        for line in probe.fault.split(", ")
    }
    assert named - {""} == {f"X{number}" for number in range(1, 13)}


def test_every_class_has_a_control():
    assert [name for name, table in TABLES.items() if not table.CONTROLS] == []
