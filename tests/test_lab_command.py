"""`raterbook lab`: whoever ends it ends JupyterLab with it."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

from raterbook.cli import main
from tests.browser.lab import free_port


def answers(port):
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5).read()
    except OSError:
        return False
    return True


def setting(port, of, name):
    """What JupyterLab takes a setting for where nobody changed it."""
    address = f"http://127.0.0.1:{port}/lab/api/settings/@jupyterlab/{of}"
    with urllib.request.urlopen(address, timeout=10) as answer:
        return json.load(answer)["schema"]["properties"][name]["default"]


def wait(until, seconds=60):
    end = time.monotonic() + seconds
    while not until() and time.monotonic() < end:
        time.sleep(0.2)
    return until()


def test_what_stands_behind_two_dashes_goes_to_jupyterlab(tmp_path, monkeypatch):
    begun = []

    class Process:
        def __init__(self, words, env):
            begun.append(words)

        def wait(self):
            return 0

    monkeypatch.setattr(subprocess, "Popen", Process)
    assert main(["--workspace", str(tmp_path), "lab", "--", "--no-browser", "--port=8900"]) == 0
    assert begun[0][-2:] == ["--no-browser", "--port=8900"]
    assert main(["--workspace", str(tmp_path), "lab"]) == 0
    assert begun[1][-1] == f"--notebook-dir={tmp_path / 'notebooks'}"


def test_without_the_dashes_one_is_told_where_jupyterlabs_options_stand(capsys):
    with pytest.raises(SystemExit):
        main(["lab", "--no-browser"])
    assert capsys.readouterr().err.endswith(
        "unrecognized arguments: --no-browser: what is JupyterLab's own stands behind --, "
        "lab -- --no-browser\n"
    )


def test_jupyterlab_asks_for_no_news_and_ends_with_the_command(tmp_path):
    port = free_port()
    config = tmp_path / "config"
    config.mkdir()
    (config / "jupyter_server_config.json").write_text(json.dumps({"ServerApp": {
        "open_browser": False, "port": port, "port_retries": 0, "ip": "127.0.0.1",
        "allow_root": True,
    }, "IdentityProvider": {"token": ""}}))  # fmt: skip
    own = {
        "JUPYTER_CONFIG_DIR": config,
        "JUPYTER_DATA_DIR": tmp_path / "data",
        "JUPYTER_RUNTIME_DIR": tmp_path / "runtime",
        "IPYTHONDIR": tmp_path / "ipython",
        "JUPYTERLAB_SETTINGS_DIR": tmp_path / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": tmp_path / "workspaces",
    }
    command = subprocess.Popen(
        [sys.executable, "-m", "raterbook", "--workspace", str(tmp_path), "lab"],
        env=os.environ | {name: str(place) for name, place in own.items()},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        assert wait(lambda: answers(port))
        assert setting(port, "apputils-extension:notification", "fetchNews") == "false"
        command.send_signal(signal.SIGTERM)
        command.wait(30)
        assert wait(lambda: not answers(port), 30)
    finally:
        if command.poll() is None or answers(port):
            os.killpg(command.pid, signal.SIGKILL)  # its own session, which this test began
