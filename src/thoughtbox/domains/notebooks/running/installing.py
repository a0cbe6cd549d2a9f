"""Packages for a notebook: npm's into its folder, Python's into an environment of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, NamedTuple

from thoughtbox.confinement.machine import NODE, SITE_PACKAGES
from thoughtbox.confinement.plan import ENVIRONMENT, Bind, Plan
from thoughtbox.domains.notebooks import records
from thoughtbox.domains.notebooks.cell import PACKAGE_JSON
from thoughtbox.domains.notebooks.cells import GIVEN
from thoughtbox.domains.notebooks.pieces import cut
from thoughtbox.domains.notebooks.room import AT_STAGE, room
from thoughtbox.domains.notebooks.running.folders import held
from thoughtbox.domains.notebooks.running.kernels import EXTRA, Kernels, in_line, plan_of
from thoughtbox.domains.notebooks.running.models import InstallPackages, PackagesInstalled
from thoughtbox.domains.notebooks.running.node import Node, node_for
from thoughtbox.domains.notebooks.running.programs import PYTHON, Done, Program
from thoughtbox.domains.notebooks.scope import existing, text_of, texts_of
from thoughtbox.domains.notebooks.view import Notebooks
from thoughtbox.errors import InvalidPayload, IsolationUnavailable, NotebookNotFound, RuntimeUnavailable
from thoughtbox.operations import Example, Slices, Steps, Tx

Manager = Literal["npm", "pip"]

LONGEST_SECONDS: Final = 300
"""For an installation, where cells have less."""
_NPM: Final = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*(?:@[A-Za-z0-9.^~<>=*+-]+)?")
_PIP: Final = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9,._-]+\])?"
    r"(?:(?:==|>=|<=|~=|!=|<|>)[A-Za-z0-9.*+!-]+(?:,(?:==|>=|<=|~=|!=|<|>)[A-Za-z0-9.*+!-]+)*)?"
)
_PASSED_ON: Final = re.compile(
    r"(?:PIP_|npm_config_|NPM_CONFIG_)\w+|(?:https?|all|no)_proxy|(?:HTTPS?|ALL|NO)_PROXY|SSL_CERT_FILE|SSL_CERT_DIR"
    r"|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS"
)
"""Variables that say where packages come from."""
_CONFIG: Final = "/cell/config"
_PIP_FOLDER: Final = "/cell/installer/pip"
_UNMOVED: Final = {"HOME": ENVIRONMENT, "PIP_CONFIG_FILE": os.devnull, "npm_config_userconfig": os.devnull}
"""An installer has a network, and cells have none: so it does not go by what cells may have left in their home."""
_RUNS_NOTHING: Final = {
    "npm_config_ignore_scripts": "true",
    "npm_config_git": "/bin/false",
    "npm_config_script_shell": "/bin/false",
    "npm_config_node_options": "",
}
"""Nor by a file among theirs that names programs; these count for more than any file, also where npm calls itself."""


class Prepared(NamedTuple):
    """What is to be installed, and where."""

    notebook_id: str
    manager: Manager
    names: list[str]
    plan: Plan
    folder: Path
    files: dict[str, str]
    is_trusted: bool


@room.operation(
    "notebook.install_deps",
    writes=True,
    guard=AT_STAGE,
    title="Install packages",
    errors=[NotebookNotFound, IsolationUnavailable, RuntimeUnavailable],
    reserve=in_line,
    example=Example({"notebookId": "latest", "packages": ["../outside"]}, given=GIVEN, fails_with=InvalidPayload),
)
def install_deps(slices: Slices, call: InstallPackages) -> Steps[PackagesInstalled]:
    """Install packages for a notebook, from npm or PyPI by its language; their scripts run only where it is trusted."""
    kernels = slices.calling.lasting.of(Kernels)
    prepared: Prepared = yield slices.read(lambda tx: _prepare(tx, call, kernels))
    program = Program(kernels)

    def work() -> PackagesInstalled:
        with held(prepared.folder, lambda: program.is_stopped):
            done = _installed(prepared, program)
        return slices.write(lambda tx: _write(tx, prepared, done)).result()

    return (yield slices.place.put(work, stop=program.stop, owner=prepared.notebook_id))


def _prepare(tx: Tx, call: InstallPackages, kernels: Kernels) -> Prepared:
    notebook = existing(tx, call.notebook_id)
    language = call.language or notebook.language
    manager: Manager = "pip" if language == "python" else "npm"
    cells = tx.ask(Notebooks).cells(notebook.id)
    texts = texts_of(tx, cells)
    names = list(dict.fromkeys(call.packages or ()))
    files = {cell.filename: text_of(cell, texts) for cell in cells if cell.type == PACKAGE_JSON and cell.filename}
    if not names and (manager == "pip" or not files):
        raise InvalidPayload(
            "`packages` is missing" if manager == "pip" else "there is nothing to install: no package.json names any",
            recovery='Send packages, such as ["left-pad@1.3.0"].',
            details={"fields": ["packages"]},
        )
    for name in names:
        _must_be_a_package(name, manager)
    folder = kernels.folders(tx.data_dir).of(tx.workspace, notebook.id)
    node = node_for("javascript", tx.settings.get("node")) if manager == "npm" else None
    plan = _plan(folder, tx, node, trusted=bool(notebook.is_trusted))
    if manager == "pip":
        plan = plan._replace(binds=[*plan.binds, Bind(str(_own_pip()), _PIP_FOLDER)])
    return Prepared(notebook.id, manager, names, plan, folder, files, bool(notebook.is_trusted))


def _own_pip() -> Path:
    """Where the server's own pip is, found without importing it."""
    found = find_spec("pip")
    if found is None or found.origin is None:
        raise RuntimeUnavailable(
            "packages of Python need pip, which is not installed here",
            recovery=EXTRA,
        )
    return Path(found.origin).resolve().parent


def _must_be_a_package(name: str, manager: Manager) -> None:
    """Refuse what an installer would take for an option, a path, an address or a command."""
    if not (_NPM if manager == "npm" else _PIP).fullmatch(name):
        such = "left-pad or left-pad@1.3.0" if manager == "npm" else "attrs or attrs==25.1.0"
        raise InvalidPayload(
            f"`packages`: {name!r} is no name of a package",
            recovery=f"Send names, perhaps with a version, such as {such}: no options, paths or addresses.",
            details={"fields": ["packages"]},
        )


def _plan(folder: Path, tx: Tx, node: Node | None, *, trusted: bool) -> Plan:
    """A box with a network, and with what says where packages come from. It runs nothing of theirs, unless trusted."""
    plan = plan_of(folder, tx.settings, node=node, trusted=trusted, data_dir=tx.data_dir, installs=True)
    named = {name: value for name, value in os.environ.items() if _PASSED_ON.fullmatch(name)}
    files = {name: path for name, path in _configuration().items() if path.is_file()}
    variables = {"npmrc": "npm_config_userconfig", "pip.conf": "PIP_CONFIG_FILE"}
    limits = plan.limits._replace(
        wall_seconds=max(plan.limits.wall_seconds, LONGEST_SECONDS),
        cpu_seconds=max(plan.limits.cpu_seconds, LONGEST_SECONDS),
    )
    return plan._replace(
        binds=[*plan.binds, *(Bind(str(path.resolve()), f"{_CONFIG}/{name}") for name, path in files.items())],
        environment={
            **plan.environment,
            **_UNMOVED,
            **named,
            **{variables[name]: f"{_CONFIG}/{name}" for name in files},
            **({} if trusted else _RUNS_NOTHING),
        },
        limits=limits,
    )


def _configuration() -> dict[str, Path]:
    """The files in which the server's user says where packages come from: those that are named, or the usual ones."""
    home = Path.home()
    usual = (home / ".config/pip/pip.conf", home / ".pip/pip.conf", Path("/etc/pip.conf"))
    pip = os.environ.get("PIP_CONFIG_FILE") or next((path for path in usual if path.is_file()), usual[-1])
    npm = os.environ.get("npm_config_userconfig") or home / ".npmrc"  # noqa: SIM112 - npm spells it so
    return {"npmrc": Path(npm), "pip.conf": Path(pip)}


def _installed(prepared: Prepared, program: Program) -> Done:
    if prepared.manager == "npm":
        return program.run(prepared.plan, _npm(prepared), prepared.files)
    if not (prepared.folder / "env" / "pyvenv.cfg").exists():
        made = program.run(prepared.plan, [PYTHON, "-I", "-S", "-m", "venv", "--without-pip", ENVIRONMENT])
        if not made.is_well:
            return made
    return program.run(prepared.plan, _pip(prepared))


def _npm(prepared: Prepared) -> list[str]:
    scripts = [] if prepared.is_trusted else ["--ignore-scripts"]
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    npm = f"{NODE}/lib/node_modules/npm/bin/npm-cli.js"
    return [f"{NODE}/bin/node", npm, "install", *scripts, *quiet, "--", *prepared.names]


_PIP_WITHOUT_THEIRS: Final = """
import importlib.util, sys

environment, site_packages, pip, *sys.argv = sys.argv[1:]
sys.prefix = sys.exec_prefix = environment
sys.executable = environment + "/bin/python"


class Nothing:
    def find_spec(self, name, target=None):
        return None

    def invalidate_caches(self):
        pass


sys.path.append(site_packages)
sys.path_importer_cache[site_packages] = Nothing()
spec = importlib.util.spec_from_file_location("pip", pip + "/__init__.py", submodule_search_locations=[pip])
sys.modules["pip"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["pip"])
from pip._internal.cli.main import main
sys.exit(main())
"""
"""The server's own pip, for the notebook's environment. It sees which packages are there, and imports none of them: one
that was installed before could be a pip, too, or name modules that are imported at every start."""


def _pip(prepared: Prepared) -> list[str]:
    """Wheels only: building anything else runs code of the package."""
    scripts = [] if prepared.is_trusted else ["--only-binary=:all:"]
    quiet = ["--disable-pip-version-check", "--no-input", "--quiet", "--progress-bar=off", "--no-warn-script-location"]
    own = [ENVIRONMENT, f"{ENVIRONMENT}/{SITE_PACKAGES}", _PIP_FOLDER]
    program = [PYTHON, "-I", "-S", "-B", "-c", _PIP_WITHOUT_THEIRS, *own]
    return [*program, "pip", "install", *scripts, *quiet, "--", *prepared.names]


def _write(tx: Tx, prepared: Prepared, done: Done) -> PackagesInstalled:
    said = done.printed("stdout") + done.printed("stderr")
    error = None if done.is_well else _why(done)
    names: Sequence[str] = prepared.names or [PACKAGE_JSON]
    tx.append(
        records.packages(prepared.notebook_id, names, prepared.manager, ok=error is None, said=cut(said)),
        stream=records.stream_of(prepared.notebook_id),
    )
    return PackagesInstalled(
        success=error is None,
        notebook_id=prepared.notebook_id,
        packages=list(names),
        manager=prepared.manager,
        output=cut(said),
        error=error,
    )


def _why(done: Done) -> str:
    if done.breach is not None:
        return f"the installation was ended ({done.breach})"
    return done.printed("stderr").strip()[-2_000:] or f"the installer ended with exit code {done.exit_code}"
