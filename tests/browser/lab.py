"""A real JupyterLab on a port of its own, with everything it writes in a temporary folder."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

TOKEN = "only-for-these-tests"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Lab:
    """Start, stop, restart on the same port; the notebooks lie in `folder`."""

    def __init__(self, folder: Path, words: Sequence[object] = (), cwd: Path | None = None):
        self.folder, self.cwd = folder, cwd or folder
        # What starts it, where that is a command of ours; its options stand in files.
        self.words = words or [
            *(sys.executable, "-m", "jupyterlab"),
            f"--ServerApp.root_dir={folder}",
        ]
        self.port = free_port()
        self.process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> "Lab":
        places = self.folder / ".jupyter"
        names = (
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTER_RUNTIME_DIR",
            "IPYTHONDIR",
            "JUPYTERLAB_SETTINGS_DIR",
            "JUPYTERLAB_WORKSPACES_DIR",
        )
        environment = {**os.environ, **{name: str(places / name.lower()) for name in names}}
        environment.pop("RATERBOOK_WORKSPACE", None)
        quiet = places / "jupyterlab_settings_dir" / "@jupyterlab" / "apputils-extension"
        quiet.mkdir(parents=True, exist_ok=True)
        (quiet / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
        settings = places / "jupyter_config_dir"
        settings.mkdir(parents=True, exist_ok=True)
        for name in ("jupyter_server_config", "jupyter_lab_config"):
            (settings / f"{name}.json").write_text(json.dumps(self.options()))
        self.log = (places / "log").open("ab")
        self.process = subprocess.Popen(
            list(map(str, self.words)),
            cwd=self.cwd,
            env=environment,
            stdout=self.log,
            stderr=self.log,
        )
        self._wait()
        return self

    def options(self) -> dict[str, dict[str, object]]:
        return {
            "ServerApp": {
                "open_browser": False,
                "ip": "127.0.0.1",
                "port": self.port,
                "port_retries": 0,
                "allow_root": True,
                "allow_origin": "*",
            },
            "IdentityProvider": {"token": TOKEN},
            "LabApp": {
                "news_url": "",
                "expose_app_in_browser": True,
                "check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
            },
            "FileContentsManager": {"delete_to_trash": False},
        }

    def _wait(self) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                self.ask("/api/status")
                return
            except OSError:
                time.sleep(0.1)
        log = (self.folder / ".jupyter" / "log").read_text()
        raise TimeoutError(f"JupyterLab did not start:\n{log}")

    def ask(self, path: str, method: str = "GET", content=None):
        request = urllib.request.Request(
            self.url + path,
            method=method,
            headers={"Authorization": f"token {TOKEN}"},
            data=None if content is None else json.dumps(content).encode(),
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def change_setting(self, plugin: str, raw: str) -> None:
        self.ask(f"/lab/api/settings/{plugin}", "PUT", {"raw": raw})

    def end_kernels(self) -> None:
        """So that one test's kernels do not slow the next."""
        for session in self.ask("/api/sessions"):
            self.ask(f"/api/sessions/{session['id']}", "DELETE")

    def kill(self) -> None:
        """As when the machine goes down: nobody says goodbye."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(10)
        self.log.close()

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
            self.process = None
            self.log.close()
