"""A small Python program that can be called: its tree is walked, with a closed set of operators and functions.

What a small Python program may be made of, and how large it may grow: all that `program_tree` knows.
"""

from __future__ import annotations

import ast
import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any, TypeGuard

STEPS = 3_000  # parts of a tree that one call may take
ALL_STEPS = 40_000  # and all calls together
DEPTH = 30  # calls within calls
LARGEST = 300  # items or letters of a value, those of its parts counted
BITS = 512  # of a whole number
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": len, "sum": sum, "min": min, "max": max, "abs": abs, "sorted": sorted, "round": lambda *x: rounded(*x),
    "int": int,
    "float": float, "str": str, "bool": bool, "list": list, "tuple": tuple, "set": set, "dict": dict, "any": any,
    "all": all, "ord": ord, "chr": chr, "divmod": divmod, "Counter": Counter, "isinstance": isinstance,
    "reversed": lambda x: list(reversed(x)), "enumerate": lambda x, start=0: list(enumerate(x, start)),
    "zip": lambda *x: list(zip(*x, strict=False)), "map": lambda f, *x: list(map(f, *x)),
    "filter": lambda f, x: list(filter(f, x)), "range": lambda *x: limited(range(*x)),
    "defaultdict": lambda kind=None: defaultdict(kind),
}  # fmt: skip
MATHS = {
    name: getattr(math, name)
    for name in ("pi", "e", "inf", "floor", "ceil", "sqrt", "gcd", "log", "log2", "log10", "fabs")
}
METHODS = {
    str: "split join lower upper strip lstrip rstrip replace startswith endswith count find index isalpha isdigit "
    "isalnum isspace isupper islower title capitalize swapcase casefold splitlines isnumeric removeprefix removesuffix",
    list: "append extend insert pop remove reverse sort index count copy clear",
    tuple: "index count",
    dict: "get items keys values setdefault pop update copy most_common",
    set: "add remove discard union intersection difference issubset issuperset copy update",
}  # fmt: skip
KNOWN_METHODS = frozenset(name for names in METHODS.values() for name in names.split())


class NotKnown(Exception):
    """A part of a program that is not known here, or too much of it."""


class TooMuch(Exception):
    """More steps or calls than are taken."""


class Jump(Exception):
    """A return, break or continue on its way out."""

    def __init__(self, kind: str, value: Any = None) -> None:
        self.kind, self.value = kind, value


def limited(value: Any) -> Any:
    """A value that is not too large to go on with, its parts counted: ten lists of ten lists are a hundred."""
    if isinstance(value, int) and value.bit_length() > BITS:
        raise TooMuch
    left, count = [value], 0
    while left:
        each = left.pop()
        if isinstance(each, str | list | tuple | dict | set | range):
            count += len(each)
            if count > LARGEST:
                raise TooMuch
            if isinstance(each, list | tuple | dict):
                left += [*each, *each.values()] if isinstance(each, dict) else each
    return value


def rounded(value: Any, digits: Any = 0) -> Any:
    """A number rounded to so many digits, as many as make sense."""
    if digits is not None and abs(digits) > 30:
        raise NotKnown
    return round(value, digits) if digits else round(value)


class Program:
    """A tree that can be called, and the names of what it takes."""

    def __init__(self, tree: ast.Module) -> None:
        self.steps, self.depth, self.total = 0, 0, 0
        self.known: dict[str, Any] = {}
        self.functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
        self.main: ast.FunctionDef | ast.expr | None = None
        if self.functions:
            called = {n.id for f in self.functions.values() for n in ast.walk(f) if is_load(n)}
            free = [f for name, f in self.functions.items() if name not in called]
            self.main = (free or list(self.functions.values()))[-1]
        elif len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
            value = tree.body[0].value
            telling = any(isinstance(n, ast.Call | ast.Subscript) for n in ast.walk(value))
            self.main = value if telling else None  # "ls -a" is no difference of two names
        self.names = self._names()

    def _names(self) -> list[str] | None:
        """What the program takes: the parameters of its function, or the free names of its expression."""
        if isinstance(self.main, ast.FunctionDef):
            args = self.main.args
            plain = not (args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs)
            return [a.arg for a in args.args] if plain else None
        if self.main is None:
            return None
        bound = {n.id for n in ast.walk(self.main) if is_load(n, ast.Store)}
        names = [n.id for n in ast.walk(self.main) if is_load(n)]
        return [n for n in dict.fromkeys(names) if n not in bound | FUNCTIONS.keys() | {"math"}]

    def call(self, *values: Any) -> Any:
        """What it gives for some values."""
        self.steps = self.depth = 0
        if isinstance(self.main, ast.FunctionDef):
            return self._run(self.main, values)
        names = dict(zip(self.names or (), values, strict=True))
        return self._value(self.main, names)  # type: ignore[arg-type]

    def _run(self, function: ast.FunctionDef, values: tuple[Any, ...]) -> Any:
        self.depth += 1
        names = [a.arg for a in function.args.args]
        defaults = function.args.defaults
        missing = len(names) - len(values)
        if self.depth > DEPTH:
            raise TooMuch
        if not 0 <= missing <= len(defaults):
            raise TypeError
        kept = [self._value(d, {}) for d in defaults[len(defaults) - missing :]] if missing else []
        local = dict(zip(names, (*values, *kept), strict=True))
        try:
            self._body(function.body, local)
        except Jump as jump:
            if jump.kind != "return":
                raise
            return jump.value
        finally:
            self.depth -= 1
        return None

    def _body(self, body: list[ast.stmt], local: dict[str, Any]) -> None:
        for each in body:
            self._step()
            self._statement(each, local)

    def _step(self) -> None:
        self.steps += 1
        self.total += 1
        if self.total > ALL_STEPS:
            raise NotKnown
        if self.steps > STEPS:
            raise TooMuch

    def _statement(self, node: ast.stmt, local: dict[str, Any]) -> None:
        match node:
            case ast.Return():
                raise Jump("return", self._value(node.value, local) if node.value else None)
            case ast.Assign():
                value = self._value(node.value, local)
                for target in node.targets:
                    self._bind(target, value, local)
            case ast.AnnAssign() if node.value is not None:
                self._bind(node.target, self._value(node.value, local), local)
            case ast.AugAssign():
                old = self._value(as_load(node.target), local)
                value = self._binary(node.op, old, self._value(node.value, local))
                self._bind(node.target, value, local)
            case ast.If():
                self._body(node.body if self._value(node.test, local) else node.orelse, local)
            case ast.For() | ast.While():
                self._loop(node, local)
            case ast.Expr():
                self._value(node.value, local)
            case ast.Break() | ast.Continue():
                raise Jump(type(node).__name__)
            case ast.Raise():
                raise ValueError
            case ast.Pass() | ast.Import() | ast.ImportFrom():
                pass
            case _:
                raise NotKnown

    def _loop(self, node: ast.For | ast.While, local: dict[str, Any]) -> None:
        items = iter(list(self._value(node.iter, local))) if isinstance(node, ast.For) else None
        while True:
            self._step()
            if items is not None and isinstance(node, ast.For):
                try:
                    self._bind(node.target, next(items), local)
                except StopIteration:
                    break
            elif isinstance(node, ast.While) and not self._value(node.test, local):
                break
            try:
                self._body(node.body, local)
            except Jump as jump:
                if jump.kind == "return":
                    raise
                if jump.kind == "Break":
                    return
        self._body(node.orelse, local)

    def _bind(self, target: ast.expr, value: Any, local: dict[str, Any]) -> None:
        match target:
            case ast.Name():
                local[target.id] = value
            case ast.Tuple() | ast.List():
                parts = list(value)
                if len(parts) != len(target.elts):
                    raise ValueError
                for each, part in zip(target.elts, parts, strict=True):
                    self._bind(each, part, local)
            case ast.Subscript():
                self._value(target.value, local)[self._value(target.slice, local)] = value
            case _:
                raise NotKnown

    def _value(self, node: ast.expr, local: dict[str, Any]) -> Any:
        self._step()
        return limited(self._simple(node, local))

    def _simple(self, node: ast.expr, local: dict[str, Any]) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self._named(node.id, local)
            case ast.BinOp():
                sides = self._value(node.left, local), self._value(node.right, local)
                return self._binary(node.op, *sides)
            case ast.UnaryOp():
                value = self._value(node.operand, local)
                if isinstance(node.op, ast.Not):
                    return not value
                return -value if isinstance(node.op, ast.USub) else +value
            case ast.BoolOp():
                value = None
                for each in node.values:
                    value = self._value(each, local)
                    if bool(value) == isinstance(node.op, ast.Or):
                        break
                return value
            case ast.Compare():
                return self._compared(node, local)
            case ast.IfExp():
                chosen = node.body if self._value(node.test, local) else node.orelse
                return self._value(chosen, local)
            case ast.Lambda():
                names = [a.arg for a in node.args.args]
                return lambda *x: self._value(node.body, local | dict(zip(names, x, strict=True)))
            case _:
                return self._collected(node, local)

    def _collected(self, node: ast.expr, local: dict[str, Any]) -> Any:
        match node:
            case ast.List() | ast.Tuple() | ast.Set():
                kind = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
                return kind([self._value(x, local) for x in node.elts])
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                return {self._value(k, local): self._value(v, local) for k, v in pairs if k}
            case ast.Subscript():
                return self._value(node.value, local)[self._value(node.slice, local)]
            case ast.Slice():
                ends = (node.lower, node.upper, node.step)
                return slice(*(self._value(x, local) if x else None for x in ends))
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                found = [self._value(node.elt, x) for x in self._rounds(node.generators, local)]
                return set(found) if isinstance(node, ast.SetComp) else found
            case ast.DictComp():
                rounds = self._rounds(node.generators, local)
                return {self._value(node.key, x): self._value(node.value, x) for x in rounds}
            case ast.JoinedStr():
                return "".join(str(self._value(x, local)) for x in node.values)
            case ast.FormattedValue() if node.format_spec is None:
                return self._value(node.value, local)
            case ast.Attribute() if isinstance(node.value, ast.Name) and node.value.id == "math":
                return self._named(node.attr, {})
            case ast.Call():
                return self._called(node, local)
            case _:
                raise NotKnown

    def _named(self, name: str, local: dict[str, Any]) -> Any:
        if name in local:
            return local[name]
        if name in self.functions:
            return lambda *x: self._run(self.functions[name], x)
        for known in (FUNCTIONS, MATHS):
            if name in known:
                return known[name]
        raise NotKnown

    def _binary(self, op: ast.operator, one: Any, other: Any) -> Any:
        if isinstance(op, ast.Pow):
            if abs(other) > 64 or abs(one) > 1e6:
                raise NotKnown
            return one**other
        if type(op) not in BINARY:
            raise NotKnown
        if isinstance(op, ast.Mod) and isinstance(one, str):
            raise NotKnown
        if isinstance(op, ast.Mult):
            sizes = [x for x in (one, other) if isinstance(x, int)]
            if (
                any(isinstance(x, str | list | tuple) for x in (one, other))
                and max(sizes) > LARGEST
            ):
                raise NotKnown
        return BINARY[type(op)](one, other)

    def _compared(self, node: ast.Compare, local: dict[str, Any]) -> bool:
        left = self._value(node.left, local)
        for op, right in zip(node.ops, node.comparators, strict=True):
            value = self._value(right, local)
            if not COMPARED[type(op)](left, value):
                return False
            left = value
        return True

    def _rounds(
        self, loops: list[ast.comprehension], local: dict[str, Any]
    ) -> list[dict[str, Any]]:
        rounds = [dict(local)]
        for loop in loops:
            made = []
            for names in rounds:
                for item in list(self._value(loop.iter, names)):
                    self._step()
                    inner = dict(names)
                    self._bind(loop.target, item, inner)
                    if all(self._value(test, inner) for test in loop.ifs):
                        made.append(inner)
            rounds = made
        return rounds

    def _called(self, node: ast.Call, local: dict[str, Any]) -> Any:
        given = [self._value(x, local) for x in node.args]
        named = {str(k.arg): self._value(k.value, local) for k in node.keywords}
        if isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id in ("math", "collections"):
                return self._named(node.func.attr, {})(*given, **named)
            held = self._value(owner, local)
            kind = next((k for k in METHODS if isinstance(held, k)), None)
            if kind is None or node.func.attr not in METHODS[kind].split():
                raise AttributeError if node.func.attr in KNOWN_METHODS else NotKnown
            value = getattr(held, node.func.attr)(*given, **named)
            return list(value) if type(value).__name__.startswith("dict_") else value
        if not isinstance(node.func, ast.Name):
            raise NotKnown
        return self._named(node.func.id, local)(*given, **named)


def is_load(node: ast.AST, kind: type[ast.expr_context] = ast.Load) -> TypeGuard[ast.Name]:
    """Whether a part of a tree is a name that is read (or written)."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, kind)


def as_load(target: ast.expr) -> ast.expr:
    """What is written to, as something to be read."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    raise NotKnown
