"""Running a service of compose as a container would run it: its files, user, variables, volumes, and no rights.

The root of the process is a read-only file system with the programs of the machine, the packages of the lock file and
the files of the image. Only the volume and what compose lists as ``tmpfs`` can be written.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.deploy.compose import Image
from tests.deploy.machine import Process

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc")
VENV = "/opt/venv"
NAMES = ("localhost", "postgres", "redis", "web", "rabbitmq", "store")
"""Every service is on the one network of the tests."""


class Host:
    """A machine that runs containers: the volumes of services are folders of it."""

    def __init__(self, folder: Path, image: Image, venv: Path) -> None:
        self.folder, self.image, self.venv = folder, image, venv
        folder.mkdir()
        (folder / "hosts").write_text("".join(f"127.0.0.1 {name}\n" for name in NAMES))
        passwd = Path("/etc/passwd").read_text()
        (folder / "passwd").write_text(f"{passwd}sightline:x:{image.user}:{image.user}::/app:/usr/sbin/nologin\n")

    def volume(self, name: str) -> Path:
        """The folder of a named volume, which belongs to the user of the image when it is made."""
        path = self.folder / f"volume-{name}"
        if not path.exists():
            path.mkdir(mode=0o700)
            with suppress(PermissionError):
                subprocess.run(["chown", str(self.image.user), str(path)], check=True)
        return path

    def run(
        self, service: Mapping[str, Any], name: str, *, command: Sequence[str] = (), environ: Mapping[str, str] = {}
    ) -> Process:
        """Start the service, or another command in it, as ``docker compose run`` does."""
        root = self.folder / f"root-{name}"
        root.mkdir(exist_ok=True)
        path = f"{VENV}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
        given = {**self.image.environ, **service["environment"], **environ, "HOSTNAME": name, "HOME": "/app"}
        variables = [f"{key}={value}" for key, value in {**given, "PATH": path}.items()]
        rights = ["--reuid", str(self.image.user), "--regid", str(self.image.user), "--clear-groups"]
        if "no-new-privileges:true" in service["security_opt"]:
            rights += ["--no-new-privs"]
        if service["cap_drop"] == ["ALL"]:
            rights += ["--inh-caps=-all", "--bounding-set=-all"]
        started = [*self.image.entrypoint, *(command or service["command"])]
        inside = ["env", "-i", *variables, "sh", "-c", 'cd /app && exec "$@"', "sh", *started]
        script = self._script(root, service, name)
        last = shlex.join(["exec", "chroot", str(root), "setpriv", *rights, *inside])
        own = ["--mount", "--propagation", "private", "--uts"]
        outside = {"PATH": path}
        return Process(["sh", "-ec", f"{script}\n{last}"], outside, self.folder / f"{name}.log", own=own)

    def once(self, service: Mapping[str, Any], name: str, **given: Any) -> None:
        """Run a command in the service, and wait for its good end."""
        with self.run(service, name, **given) as process:
            assert process.wait(90) == 0, process.output
            assert "Traceback" not in process.output, process.output

    def _script(self, root: Path, service: Mapping[str, Any], name: str) -> str:
        lines = [f"hostname {name}", f"mount -t tmpfs -o mode=755 none {root}"]

        def place(target: str) -> str:
            lines.append(f"mkdir -p {root}{target}")
            return f"{root}{target}"

        def bind(source: Path | str, target: str, *, writable: bool = False) -> None:
            at = place(target)
            lines.append(f"mount --bind {source} {at}")
            if not writable:
                lines.append(f"mount -o remount,bind,ro,nosuid {at}")

        for folder in map(Path, SYSTEM):
            if folder.is_symlink():
                lines.append(f"ln -s {folder.readlink()} {root}{folder}")
            elif folder.is_dir():
                bind(folder, str(folder))
        if not sys.base_prefix.startswith("/usr/") and sys.base_prefix != "/usr":
            bind(sys.base_prefix, sys.base_prefix)
        bind(self.venv, VENV)
        bind(self.image.app, "/app")
        for file in ("hosts", "passwd"):
            lines.append(f"mount --bind {self.folder / file} {root}/etc/{file}")
        lines += [f"mount --rbind /dev {place('/dev')}", f"mount -t tmpfs -o mode=1777,size=64m none {root}/dev/shm"]
        lines.append(f"mount -t proc none {place('/proc')}")
        for target in service.get("tmpfs", []):
            lines.append(f"mount -t tmpfs -o mode=1777 none {place(target)}")
        for volume in service["volumes"]:
            source, target = volume.split(":")[:2]
            bind(self.volume(source), target, writable=True)
        if service.get("read_only"):
            lines.append(f"mount -o remount,ro {root}")
        return "\n".join(lines)


def build(image: Image, venv: Path, folder: Path) -> None:
    """What the Dockerfile runs with the files of the image: static files are collected into it."""
    for script in (venv / "bin").iterdir():
        head = b"" if script.is_symlink() or not script.is_file() else script.read_bytes()
        if head.startswith(b"#!") and b"python" in head.partition(b"\n")[0]:
            script.write_bytes(f"#!{VENV}/bin/python\n".encode() + head.partition(b"\n")[2])
    for line in image.builds:
        here = line.replace("/app", str(image.app)).replace("/tmp/build", str(folder))
        environ = {
            **{name: value.replace("/app", str(image.app)) for name, value in image.environ.items()},
            "PATH": f"{venv / 'bin'}:/usr/local/bin:/usr/bin:/bin",
        }
        done = subprocess.run(
            ["sh", "-ec", here], cwd=image.app, env=environ, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
