"""What the options of every tool are made of: strict models whose keys an editor completes and checks.

One declaration gives three things: the check of ``sluiceway.yaml``, the words of a problem, and the JSON Schema.
Source: ``spec/core.md``, ``sluiceway.yaml``.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, core_schema

__all__ = [
    "Fitting",
    "Line",
    "Matching",
    "Maybe",
    "Misfits",
    "Namespace",
    "Options",
    "Text",
    "Whole",
    "found",
    "text_of",
]

T = TypeVar("T")

Misfits = Callable[[Mapping[str, Any]], Iterable[tuple[str, str]]]
"""Gives each key of a mapping that does not fit the others, and what is wrong, of the mapping as it is written."""


class Options(BaseModel):
    """A mapping of ``sluiceway.yaml``: no key but its own, no value of another type. Keys are spelled ``likeThis``.

    ``fits`` tells which keys don't fit together; it is asked beside what is wrong with single keys, and hides none.
    """

    fits: ClassVar[Misfits | None] = None

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        alias_generator=to_camel,
        field_title_generator=lambda name, _field: name.replace("_", " ").capitalize(),
        model_title_generator=lambda model: re.sub("(?<=[a-z])(?=[A-Z])", " ", model.__name__).capitalize(),
        hide_input_in_errors=True,
    )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the model's schema, with :attr:`fits` around it where there is one."""
        schema = handler(source)
        return schema if cls.fits is None else core_schema.no_info_wrap_validator_function(Fitting(cls.fits), schema)


@dataclass(frozen=True, slots=True)
class Fitting:
    """The rule that the keys of a mapping fit together."""

    misfits: Misfits

    def __call__(self, data: Any, handler: core_schema.ValidatorFunctionWrapHandler) -> Any:
        """Return the model of ``data``; raise ``ValidationError`` for all that is wrong with it."""
        told = [_misfit(key, problem) for key, problem in self.misfits(data)] if isinstance(data, Mapping) else []
        try:
            model = handler(data)
        except ValidationError as error:
            told = [*map(_again, error.errors(include_url=False)), *told]
        if told:
            raise ValidationError.from_exception_data("Options", told, hide_input=True)
        return model


def _misfit(key: str, problem: str) -> InitErrorDetails:
    return InitErrorDetails(
        type=PydanticCustomError("value_error", "{error}", {"error": problem}), loc=(key,), input=None
    )


def _again(told: Any) -> InitErrorDetails:
    return InitErrorDetails(type=told["type"], loc=told["loc"], input=told["input"], ctx=told.get("ctx", {}))


@dataclass(frozen=True, slots=True)
class Text:
    """Marks text that ``rule`` accepts: it returns the text, made plain, or raises ``ValueError`` with the problem.

    ``pattern`` is what an editor checks: a regular expression for the whole text, without ``^`` and ``$``.
    """

    rule: Callable[[str], str]
    pattern: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.rule, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "pattern": f"^(?:{self.pattern})$"}


@dataclass(frozen=True, slots=True)
class Matching:
    """The rule that text matches ``pattern`` as a whole; ``expected`` says in words what that is."""

    pattern: str
    expected: str

    def __call__(self, value: str) -> str:
        """Return ``value`` as it is."""
        if not re.fullmatch(self.pattern, value):
            raise ValueError(f"expected {self.expected}")
        return value


def text_of(pattern: str, expected: str) -> Text:
    """Mark text that matches ``pattern`` as a whole; ``expected`` says in words what that is."""
    return Text(Matching(pattern, expected), pattern)


@dataclass(frozen=True, slots=True)
class Whole:
    """Marks a whole number from ``least`` to ``most``."""

    least: int
    most: int

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._rule)

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}

    def _rule(self, value: Any) -> int:
        if type(value) is int and self.least <= value <= self.most:
            return value
        what = "another number" if isinstance(value, (int, float)) and not isinstance(value, bool) else found(value)
        raise ValueError(f"expected a whole number from {self.least} to {self.most}, found {what}")


class _NotNull:
    """Marks ``X | None`` where None stands for a key that is absent: a key without a value is still a problem."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        given = next(form for form in get_args(source) if form is not type(None))
        return handler.generate_schema(given)


Maybe = Annotated[T | None, _NotNull()]
"""A key that may be left out; it then reads as None."""

Line = Annotated[
    str,
    text_of(
        r"(?=.*\S)[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+",
        "text of one line, not empty and without control characters",
    ),
]
"""Text of one line."""

Namespace = Annotated[
    str,
    text_of(
        r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?",
        "a DNS label: at most 63 lower-case letters, digits and `-`, a letter or digit first and last",
    ),
]
"""A Kubernetes namespace, one rule for every tool (record 0060)."""


def found(value: Any) -> str:
    """Say what kind of value stands in the file, never the value itself."""
    if value is None:
        return "no value"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "a mapping" if isinstance(value, dict) else "a list"
