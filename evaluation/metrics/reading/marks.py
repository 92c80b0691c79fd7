"""Tables of what surrounds answers without being one: special tokens, role headings, tags, thinking."""

from __future__ import annotations

import re

TURN_ENDS = (
    "<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|end|>", "<|return|>",
    "<|endofturn|>", "<|end_of_turn|>", "<|end_of_sentence|>", "<|end▁of▁sentence|>", "<|END_OF_TURN_TOKEN|>",
    "<end_of_turn>", "<end_of_utterance>", "<eos>", "</s>", "[EOS]", "<|im_start|>user", "<|user|>",
    "<start_of_turn>user", "<|start_header_id|>user",
)  # fmt: skip
"""Text before one of these tokens ends there: what follows is an invented turn."""

USER_LINE = r"(?:\n|\A|<s>|<bos>|<\|begin_of_text\|>)[ #>*_]*(?:user|human)[*_ ]*:"
"""A line with this beginning is also an invented turn. A start token may precede it."""

TOKENS = (
    "<s>", "<bos>", "<pad>", "<unk>", "<|im_start|>", "<|begin_of_text|>", "<|startoftext|>", "<start_of_turn>",
    "<|start_header_id|>", "<|end_header_id|>", "<|begin▁of▁sentence|>", "<|assistant|>", "<|system|>", "<|start|>",
    "<|message|>", "<|channel|>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "[BOS]", "[PAD]", "<image>", "<|image|>",
    "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
)  # fmt: skip
"""Other special tokens, which are removed."""

ROLE = re.compile(
    r"\A\s*(?P<marks>(?:`{3,9}(?:[\w+-]*[ ]*\n)?\s*|`|[*_]{1,3}[ ]?){1,3})?(?:#+ *)?"
    r"(?P<role>(?:assistant|gpt|ai|model|bot)(?:[*_ ]*:[*_]*\s*|[*_ ]*\n))",
    re.IGNORECASE,
)
"""A role heading at the start of an answer, also the first word within a code fence, in code, bold or italic: the
``marks`` before the ``role`` stay."""
PROMPT_THEN_ROLE = re.compile(r"(?:\n|(?<=[.?!)]) )[ #>*_]*(?:assistant|gpt)[*_ ]*:[*_]*\s*", re.IGNORECASE)
"""The heading of the answer behind a prompt that is repeated before it."""

THINKING = "think|thinking|thought|reasoning|reflection"
THINK_TAG = re.compile(rf"<[ ]?(/?)[ ]?({THINKING})[ ]?/?>|(◁)(/?)think▷", re.IGNORECASE)

_NAMES = "answer|final[_ -]?answer|conclusion|solution"
ANSWER_TAG = re.compile(
    rf"<[ ]?(?:(?P<close>/)[ ]?)?(?:{_NAMES})(?: [^<>\n]{{0,80}})?>"
    r"|<\|(?P<bar>/?)answer\|>|<\|(?P<box>begin|end)_of_box\|>",
    re.IGNORECASE,
)
"""An opening or closing tag around an answer."""


def _any_of(words: tuple[str, ...]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


TOKEN = re.compile(_any_of(TURN_ENDS + TOKENS), re.IGNORECASE)
TURN_END = re.compile(f"{_any_of(TURN_ENDS)}|{USER_LINE}", re.IGNORECASE)
