"""The trusted base as a thing: what it imports, how long it is, and that it runs on a bare Python."""

from __future__ import annotations

import ast
import gzip
import io
import json
import os
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import certify.kernel
from certify.kernel.__main__ import main
from certify.kernel.export import MODULES, single_file
from certify.testing import written
from certify.testing.embedding import tiny

FOLDER = Path(certify.kernel.__file__).parent
FILES = sorted(FOLDER / f"{name}.py" for name in ("__init__", "export", *MODULES))
CORE = ("__init__", "__main__", "document", "exact", "export", "intervals", "psd", "statement")
MOST_CORE, MOST_CHECKER = 610, 150
FORBIDDEN = ("eval", "exec", "__import__", "globals", "setattr", "pickle", "round", "sqrt", "log", "exp", "pow")
TINY = tiny()
TEXT = written(TINY["four-cycle"]).encode()


def trees() -> Iterator[tuple[str, ast.Module]]:
    for file in FILES:
        yield file.stem, ast.parse(file.read_text(encoding="utf-8"))


def lines_of_code(source: str) -> int:
    """Lines that hold a token that is neither a comment nor in a docstring."""
    skipped: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and isinstance(body, list) and body:
            first = body[0]
            words = first.value if isinstance(first, ast.Expr) else None
            if isinstance(words, ast.Constant) and isinstance(words.value, str):
                skipped.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    idle = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    used: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in idle:
            used.update(range(token.start[0], token.end[0] + 1))
    return len(used - skipped)


def test_it_is_small() -> None:
    counts = {file.stem: lines_of_code(file.read_text(encoding="utf-8")) for file in FILES}
    assert sum(counts[name] for name in counts if name in CORE) <= MOST_CORE, counts
    assert all(count <= MOST_CHECKER for name, count in counts.items() if name not in CORE), counts


def test_it_imports_nothing_else() -> None:
    """Standard library and itself; python-flint in one function."""
    for name, tree in trees():
        flint = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "_gram_by_flint"]
        inside = {id(node) for function in flint for node in ast.walk(function)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                roots = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                roots = [node.module or ""]
            else:
                continue
            for root in roots:
                top = root.split(".")[0]
                own = root.startswith("certify.kernel")
                assert own or top in sys.stdlib_module_names or (root == "flint" and id(node) in inside), (name, root)


def test_it_has_no_assert_and_no_floating_point() -> None:
    """No statement vanishes under -O; no float is made, compared or divided by."""
    for name, tree in trees():
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        powers = [call.func for call in calls if isinstance(call.func, ast.Name) and call.func.id == "pow"]
        modular = {id(call.func) for call in calls if call.func in powers and len(call.args) == 3}  # pow(a, -1, m)
        for node in ast.walk(tree):
            where = f"{name}:{getattr(node, 'lineno', 0)}"
            assert not isinstance(node, ast.Assert), where
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, (float, complex))), where
            assert not (isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div)), where
            if isinstance(node, ast.Name) and node.id == "float":
                assert name == "exact", where  # shown() names a float that it rejects
            if isinstance(node, (ast.Name, ast.Attribute)):
                word = node.id if isinstance(node, ast.Name) else node.attr
                assert word not in FORBIDDEN or id(node) in modular, where
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                modules = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
                names = {alias.name for alias in node.names}
                assert "math" not in modules or names <= {"comb", "gcd", "lcm", "isqrt"}, where
                assert not {"random", "time", "decimal", "cmath", "statistics"} & set(modules), where


def test_broad_handlers_only_reject() -> None:
    """An exception never turns into acceptance: every handler re-raises as Rejected, returns a rejection or None."""
    allowed = {"_gram_by_flint": "return None", "main": "unreadable = True", "_verdict": "Verdict(False"}
    for _, tree in trees():
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
            for node in ast.walk(function):
                if isinstance(node, ast.ExceptHandler):
                    text = ast.unparse(node)
                    assert "raise Rejected(" in text or allowed.get(function.name, "?") in text, text


def test_the_single_file_is_the_kernel() -> None:
    """It holds every statement of every module but the imports among them, in order, and nothing else."""
    exported = [ast.dump(node) for node in ast.parse(single_file()).body]
    expected = []
    for name in MODULES:
        for node in ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8")).body:
            inner = isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("certify", "__future__")
            if not inner:
                expected.append(ast.dump(node))
    assert exported[2:] == expected


def test_no_module_of_the_kernel_is_forgotten() -> None:
    """What the exported modules import of the kernel is exported as well."""
    for name, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("certify."):
                assert (node.module or "").removeprefix("certify.kernel.") in MODULES, name


def test_no_name_is_defined_twice() -> None:
    """In one file a second definition would silently replace the first."""
    names: Counter[str] = Counter()
    for node in ast.parse(single_file()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names[node.name] += 1
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                names[ast.unparse(target)] += 1
    assert [name for name, count in names.items() if count > 1] == []


def run(*arguments: str | Path, data: bytes = b"", **variables: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **variables}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, input=data, capture_output=True, env=environment, check=False)


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bare") / "check.py"
    path.write_text(single_file(), encoding="utf-8")
    return path


def test_the_single_file_runs_on_a_bare_python(checker: Path, tmp_path: Path) -> None:
    """Isolated and without site-packages: nothing installed can be found."""
    good, packed, bad = tmp_path / "good.cert.json", tmp_path / "good.cert.json.gz", tmp_path / "bad.cert.json"
    good.write_bytes(TEXT)
    packed.write_bytes(gzip.compress(TEXT))
    bad.write_bytes(TEXT.replace(b"[1,3,1]", b"[1,3,2]"))
    for file in (good, packed):
        done = run("-I", "-S", checker, file)
        assert done.returncode == 0, done.stderr
        assert done.stdout.decode().startswith("s PROVED distortion_squared == 2 sha256:7583ccdc")
        assert done.stderr == b""
    assert run("-I", "-S", "-O", checker, bad).stdout.startswith(b"s REJECTED psd.pivot witnesses[0].psd ")
    assert run("-I", "-S", checker, good, bad).returncode == 1
    assert run("-I", "-S", checker, good, tmp_path / "none").returncode == 2
    assert run("-I", "-S", checker, "-", "--json", "--pure", data=TEXT).returncode == 0
    assert run("-I", "-S", checker, tmp_path).returncode == 2


@pytest.mark.parametrize("seed", ["0", "1", "77"])
def test_hash_seeds_and_optimisation_do_not_matter(checker: Path, tmp_path: Path, seed: str) -> None:
    """Same verdict, same reason: also for a document with several faults."""
    file = tmp_path / "x"
    for data in (TEXT, TEXT[:-1] + b',"z":1,"y":2,"x":3}', b"{}"):
        file.write_bytes(data)
        outputs = {run("-S", *flags, checker, "--json", file, PYTHONHASHSEED=seed).stdout for flags in ([], ["-OO"])}
        assert outputs == {(json.dumps(certify.kernel.check_bytes(data).as_json()) + "\n").encode()}


def test_a_terminal_that_knows_only_ascii(checker: Path, tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(TEXT)
    done = run("-S", checker, file, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert b"distortion\\xb2 at least 2" in done.stdout


def test_an_endless_file_is_not_read_to_its_end(checker: Path) -> None:
    future = "from __future__ import annotations"
    source = f"{future}\nimport sys; sys.argv = ['check', '/dev/zero']\n"
    patched = checker.read_text(encoding="utf-8").replace("MAX_BYTES = 1 << 28", "MAX_BYTES = 1 << 16")
    small = checker.with_name("small.py")
    small.write_text(patched.replace(future, source, 1), encoding="utf-8")
    done = run("-I", "-S", str(small))
    assert done.stdout.startswith(b"s REJECTED json.size file"), done.stderr


def test_main(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_bytes(TEXT)
    bad.write_bytes(TEXT + b"x")
    assert main([str(good)]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("s PROVED distortion_squared == 2 ")
    assert main([str(bad), "--pure"]) == 1
    assert capsys.readouterr().out.startswith("s REJECTED json.syntax file:1:")
    assert main([str(good), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True
    assert main([str(good), str(bad), "--json"]) == 1
    both = json.loads(capsys.readouterr().out)
    assert both["valid"] is False
    assert [entry["valid"] for entry in both["results"]] == [True, False]
    assert main([str(good), str(good), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True
    assert main([str(tmp_path / "none")]) == 2
    assert capsys.readouterr() == ("", f"{tmp_path / 'none'}: No such file or directory\n")
    assert main([str(tmp_path / "none"), "--json"]) == 2
    assert capsys.readouterr().out == ""
    assert main([str(tmp_path / "none"), str(good), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["valid"] is False
    assert main([str(bad), str(tmp_path / "none")]) == 2
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2
