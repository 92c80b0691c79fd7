"""The phrases in which answers are stated, by language: adding one is adding it here, with a test.

Every entry is a piece of a regular expression in lower case, matched against the text in lower case.
"""

from __future__ import annotations

from dataclasses import dataclass

Phrase = tuple[tuple[str, ...], str]
"""Words of which the text must hold one, in lower case, and the pattern that is then looked for."""


@dataclass(frozen=True, slots=True)
class Language:
    """Phrases of one language.

    Attributes:
        nouns: what names an answer: the literal beginning of each, then the rest of it (endings, adjectives behind).
        links: what joins a noun and a value.
        middle: what may come between a noun and its link.
        frames: whole phrases before a value.
        weak: phrases before the value of a weak statement.
        articles: what may come between a phrase and its value.
    """

    name: str
    nouns: tuple[tuple[str, str], ...]
    links: tuple[str, ...]
    middle: str = ""
    frames: tuple[Phrase, ...] = ()
    weak: tuple[Phrase, ...] = ()
    articles: tuple[str, ...] = ()


_SURE = (
    r"(?: (?:therefore|thus|hence|clearly|definitely|most likely|likely|probably|indeed|then|so|simply|obviously|just"
    r"|actually|also|still))?"
)
_MOST = r"(?:most (?:likely|suitable|accurate|appropriate|plausible|reasonable|probable)|best|closest|correct|right)"
_IS = r"(?:is|was|are|would be|should be|must be|seems to be|appears to be|has to be)"
_START = r"(?:^|(?<=[.!?;:,] )|(?<=\n))"

ENGLISH = Language(
    "English",
    (
        ("answer", r"s?(?: (?:choice|option|letter)s?)?"), ("option", r"(?: letter)?"), ("choice", r"(?: letter)?"),
        ("letter", ""), ("response", ""), ("solution", ""), ("selection", ""), ("prediction", ""), ("pick", ""),
        ("guess", ""), ("verdict", ""), ("ans", r"\.?(?= ?[:=])"),
    ),
    (
        rf"{_IS}{_SURE}(?: ?:| that)?(?: (?:the )?(?:following|below) ?:)?",
        r"[\"'”’]? ?[:=](?!=)(?: ?(?:is|the answer is|it is|it's))?",
        r"(?:→|⇒|->|=>)",
        r"[-–—](?= )",
    ),
    r"(?: (?:to|for|among|of|from|in|here|based on|that|which|i|we|given|out of|according to)(?: [^.:;?\n]{1,80}?)?)?",
    (
        (
            ("choose", "chose", "pick", "select", "go with", "going with", "opt for", "opting for", "say", "conclude"),
            r"\b(?:i|we)(?:['’](?:d|ll|m|ve))?(?: (?:would|will|must|should|can|therefore|thus|have to|am|have"
            r"|finally|also))*"
            r" (?:choose|chose|chosen|pick|picked|select|selected|go with|going with|opt for|opting for|say"
            r"|conclude(?: that)?)"
            r"\b(?: that)?",
        ),
        (("let's go with", "let’s go with", "settle on"), r"\b(?:let['’]s go with|i settle on)"),
    ),
    (
        (
            ("it is", "it's", "it’s", "that is", "that's", "that’s"),
            r"(?<![\w'’])(?:it|that)(?: is|['’]s)(?: (?:therefore|thus|clearly|definitely|probably|likely))?",
        ),
        (
            ("match", "correspond", "points to", "point to", "which is"),
            r"\b(?:match(?:es)?(?: with)?|corresponds? to|points? to|which is)(?: the)? (?=(?:option|choice|answer)\b)",
        ),
        (
            ("so ", "so,", "hence", "thus", "therefore"),
            rf"{_START}(?:and )?(?:so|hence|thus|therefore)\b,?(?: (?:it|that)(?: is|['’]s))?",
        ),
        (
            ("i think", "i believe", "i guess", "i'd guess"),
            rf"{_START}(?:(?:so|and|then),? )?i(?:['’]d)? (?:think|believe|guess)(?: (?:it|that)(?: is"
            rf"|['’]s))?(?: that)?",
        ),
    ),
    ("the", "option", "choice", "answer", "letter", "clearly", "definitely", "labeled", "one", "indeed", "that of"),
)  # fmt: skip

CHINESE = Language(
    "Chinese",
    (("答案", ""), ("选项", ""), ("选择", ""), ("结论", ""), ("回答", ""), ("正解", "")),
    (
        r"(?:就|只能|应该|应当|应|显然|因此|所以|最终)*(?:是|为|选)(?: ?:)?",
        r"[】\]』」]? ?[:=]",
        r"[】\]』」]",
        r"(?:不是|不选) ?\(?[a-z]\)?,?而(?:是|选)",
    ),
    frames=((("选",), r"(?:应|故|就|该|我|本题|所以|因此|最终)*选(?:择|取)?(?!项)"),),
    weak=(
        (("所以", "因此", "应该是", "综上"), r"(?:所以|因此|综上)(?:所述)?,?(?:是|就是|应该是)?|应该是"),
        (("对应",), r"对应(?:的是|于)?(?=选项)"),
    ),
    articles=("选项", "选择", "选", "答案", "字母"),
)

JAPANESE = Language(
    "Japanese",
    (("正解", ""), ("答え", ""), ("解答", ""), ("回答", ""), ("正しい選択肢", ""), ("選択肢", ""), ("答", "")),
    (r"(?:は|が)[、,]?", r"[】」』]? ?[:=]"),
    articles=("選択肢", "選択"),
)

KOREAN = Language(
    "Korean",
    (("정답", ""), ("답변", ""), ("답", ""), ("선택지", "")),
    (r"(?:은|는|이) ?[:,]?", r" ?[:=]"),
    articles=("선택지", "옵션", "보기"),
)

_ANY = r"(?: [^.:;?,\n]{1,60}?)?"
"""A few words between a noun and its link, as "a la pregunta"."""

SPANISH = Language(
    "Spanish",
    (("respuesta", r"s?(?: (?:correcta|final|adecuada))*"), ("opción", r"(?: (?:correcta|final|adecuada))*"),
     ("opcion", r"(?: (?:correcta|final))*"), ("alternativa", r"(?: (?:correcta|final|adecuada|certa))*")),
    (r"(?:es|sería|debe ser|debería ser)(?: ?:)?", r" ?[:=]"),
    _ANY,
    ((("elijo", "escojo", "elegiría", "selecciono"), r"\b(?:elijo|escojo|elegiría|selecciono)"),),
    articles=("la", "el", "opción", "la opción", "letra", "la letra", "respuesta", "la respuesta", "alternativa",
              "la alternativa"),
)  # fmt: skip

PORTUGUESE = Language(
    "Portuguese",
    (
        ("resposta", r"s?(?: (?:correta|correcta|certa|final))*"),
        ("alternativa", r"(?: (?:correta|certa|final))*"),
        ("opção", r"(?: (?:correta|certa|final))*"),
    ),
    (r"(?:é|seria|deve ser|será)(?: ?:)?", r" ?[:=]"),
    _ANY,
    ((("escolho", "seleciono"), r"\b(?:escolho|seleciono)"),),
    articles=("a", "o", "opção", "a opção", "letra", "a letra", "alternativa", "a alternativa", "resposta"),
)

FRENCH = Language(
    "French",
    (("réponse", r"(?: (?:correcte|finale|exacte|juste))*"), ("reponse", r"(?: (?:correcte|finale))*"),
     ("option", r"(?: (?:correcte|finale))+"), ("solution", r"(?: (?:correcte|finale))+")),
    (r"(?:est|serait|doit être)(?: donc)?(?: ?:)?", r" ?[:=]"),
    _ANY,
    ((("je choisi",), r"\bje choisi(?:s|rais)"),),
    articles=("la", "le", "l'option", "l’option", "option", "la réponse", "réponse", "la lettre", "lettre", "l'"),
)  # fmt: skip

ITALIAN = Language(
    "Italian",
    (("risposta", r"(?: (?:corretta|esatta|giusta|finale))*"), ("opzione", r"(?: (?:corretta|esatta|giusta|finale))*")),
    (r"(?:è|e'|sarebbe|dovrebbe essere|deve essere)(?: ?:)?", r" ?[:=]"),
    _ANY,
    ((("scelgo",), r"\bscelgo"),),
    articles=("la", "il", "l'opzione", "l’opzione", "opzione", "la risposta", "la lettera", "lettera", "l'"),
)

GERMAN = Language(
    "German",
    (("antwort", r"(?:möglichkeit|option)?"), ("lösung", ""), ("loesung", ""), ("option", "")),
    (r"(?:ist|lautet|wäre|muss)(?: also| somit| daher)?(?: ?:)?", r" ?[:=]"),
    _ANY,
    ((("ich wähle", "ich nehme"), r"\bich (?:wähle|nehme)"),),
    articles=("die", "der", "das", "option", "antwort", "buchstabe", "die option", "die antwort"),
)

RUSSIAN = Language(
    "Russian",
    (("ответ", ""), ("вариант", r"(?: ответа)?")),
    (r"(?:это|является)(?: ?:)?", r" ?[:=]", r" ?[-–—](?= )"),
    _ANY,
    ((("выбираю", "выбрал"), r"\bвыб(?:ираю|рал)"),),
    articles=("вариант", "ответ", "буква", "под буквой", "это"),
)

ARABIC = Language(
    "Arabic",
    (("الإجابة", r"(?: (?:الصحيحة|النهائية))*"), ("الاجابة", r"(?: (?:الصحيحة|النهائية))*"),
     ("إجابة", ""), ("الجواب", r"(?: (?:الصحيح|النهائي))*"), ("الخيار", r"(?: (?:الصحيح|النهائي))*")),
    (r"(?:هي|هو)(?: ?:)?", r" ?[:=]"),
    _ANY,
    ((("أختار", "اختار"), r"[أا]ختار"),),
    articles=("الخيار", "الحرف", "الإجابة"),
)  # fmt: skip

LANGUAGES = (
    ENGLISH, CHINESE, JAPANESE, KOREAN, SPANISH, PORTUGUESE, FRENCH, ITALIAN, GERMAN, RUSSIAN, ARABIC,
)  # fmt: skip

_BEING = (
    " is ",
    " are ",
    " was ",
    " would be ",
    " should be ",
    " must be ",
    " seems ",
    " appears ",
    " has to be ",
    " looks ",
)
BEHIND: tuple[Phrase, ...] = (
    # English: what follows the letter, up to a word that ends the thought.
    (
        _BEING,
        rf" (?:{_IS}|looks|seems){_SURE}(?:(?: the| my| our)?(?: (?:only|one and only|single|final|overall))? {_MOST}"
        r"(?: (?:final )?(?:answer|option|choice|one|match|fit|letter))?"
        r"| (?:the|my|our)(?: (?:final|best|only|likely|chosen))* (?:answer|choice|option|pick|selection))"
        r"(?= ?(?:[.,;!)\]\"'\n]|$)"
        r"| (?:because|since|as|here|given|to the question|among|for this|for the question))",
    ),
    ((" es ", " sería "), r" (?:es|sería) (?:la |el )?(?:respuesta |opción )?(?:correcta|correcto)(?= ?[.,;!\n]|$)"),
    ((" é ",), r" é (?:a )?(?:resposta |opção |alternativa )?(?:correta|certa)(?= ?[.,;!\n]|$)"),
    ((" est ",), r" est (?:la )?(?:bonne )?(?:correcte|réponse|réponse correcte|bonne réponse)(?= ?[.,;!\n]|$)"),
    ((" è ", " e' "), r" (?:è|e') (?:la )?(?:risposta |opzione )?(?:corretta|giusta)(?= ?[.,;!\n]|$)"),
    ((" ist ",), r" ist (?:die )?(?:richtig|korrekt|richtige antwort|korrekte antwort|richtige"
                 r"|korrekte)(?= ?[.,;!\n]|$)"),
    ((" — ", " – ", " - ", " правильн", " верн"), r" (?:[-–—] )?(?:это )?(?:правильный|верный)(?: ответ"
                                                  r"| вариант)?(?= ?[.,;!\n]|$)"),
    ((" هو ", " هي "), r" (?:هو|هي) (?:الخيار |الجواب |الإجابة )?(?:الصحيح|الصحيحة)"),
    (("正确", "是正确", "选项正确", "项正确", "最佳", "是最佳", "合适", "是最合适"),
     r"(?:选?项)?(?:是|才是|为)?最?(?:正确|最佳|佳|合适)(?:的)?(?:答案|选项)?(?=[。,;!\n]|$)"),
    (("が正しい", "が正解"), r"が(?:正しい|正解)"),
    (("이 정답", "가 정답", "번이 정답", "이 맞습니다", "가 맞습니다", "이 옳습니다"),
     r"번?(?:이|가) (?:정답|맞습니다|옳습니다)"),
)  # fmt: skip
"""Phrases behind a letter or text that call it correct, with their beginnings."""

FINAL = (
    r"final|finally|correct|right|best|正确|最终|最佳|correcta?|final|finale|richtige|korrekte|certa|правильный|верный"
)
"""An answer so called may have its value on the next line without any link."""

NEGATIONS = (
    r"\b(?:not|never|neither|nor|wrong|incorrect|except|unlike|rather than|ruled out|ruling out|rule out|eliminated?"
    r"|exclude[sd]?|cannot|instead of|n't|doubt|false|nicht|kein|keine|falsch|pas|incorrecte|fausse|não|incorreta"
    r"|errada|incorrecta|falsa|sbagliat[ao]|errat[ao]|non|не|неправильный|неверный)\b|n['’]t\b|\bno es\b"
    r"|\bno (?:es|sería)"
    r"|不|错|非|没|ではな|じゃな|間違|誤|아니|아닌|틀린|ليس|غير|خطأ|خاطئ"
)
NEGATED_BEHIND = (
    r"[)\]\"'”’.]{0,3}(?:,? which)?(?: ?: ?(?:no|wrong|incorrect|false)\b"
    r"| (?:is|was|are|does|do|would be|seems|can|could|has|must)(?: not\b|n['’]t\b| (?:\w+ )?(?:wrong|incorrect|false"
    r"|impossible|ruled out|eliminated|excluded|out\b))| (?:cannot|isn['’]t|doesn['’]t|can['’]t|wasn['’]t|won['’]t)\b"
    r"| ?(?:是错|不|错)| ist (?:falsch|nicht)| n['’]est pas| no es| não é| non è| не | ?(?:ではな|じゃな)"
    r"| ?は(?:違|間違|誤)| ?(?:이|가)? ?(?:아[니닙]|틀))"
)
NO = r"\b(?:no|none|without|lacks?|lacking|absent|missing|nothing|hardly|neither|nor|isn|aren|doesn|don)\b"
"""Further words with which an option's text in a sentence is not the answer."""
HEDGES = (
    r"\b(?:could|might|may|maybe|either|perhaps|possibly|whether|unless|unsure|uncertain|assuming|suppose|supposing"
    r"|not sure|unclear|vielleicht|könnte|entweder|peut-être|pourrait|talvez|poderia|quizás?|podría|forse|potrebbe"
    r"|возможно|может)\b|可能|也许|或许|かもしれ|아마|일 수도|ربما|قد يكون"
)
CONDITIONAL = (
    r"[\s\"'“]*(?:if(?! (?:you|we|i|one) (?:look|zoom|examine|check|see|focus|count))|unless|assuming|suppose|supposing"
    r"|provided|falls|wenn|si|если|如果|假如|要是|もし|만약|إذا|لو)(?![^\W\u3040-\u9fff])"
)
"""A sentence that begins so states its value on a condition."""
CONDITIONS = r"\b(?:if|wenn|si|если)\b|如果|假如|要是|もし|만약|إذا|لو "
WOULD_BE = r"\b(?:would|wäre|serait|sería|seria|sarebbe)\b"
BUT = (
    r"(?:not|nicht|no|não|non|pas|не|不是) {0,1}(?:option |choice )?[(\[\"']?[A-Za-z][)\]\"']?,? ?(?:but(?: rather)?"
    r"|sondern|sino|mas|mais|bensì|ma|а|,?而是) ?(?:option |choice )?"
)
"""In "not A but B" the value comes behind."""

AND = r"and|or|and/or|&|\+|/|,|、|;|\||oder|und|ou|et|y|o|e|и|или|和|或者|或|与|及|や|또는|과|와|أو|و"
_OPENING = r"(?:^|[.!?\n,;:…—–(-][ \n]*|\b(?:but|no|oh|and|so|hmm|well|actually),? )"
"""Matches the beginning of a sentence or a new thought: "people wait" withdraws nothing."""
CORRECTIONS = (
    rf"{_OPENING}(?:wait|hold on|oops|no(?=[,.!;:…—–]| wait| the | it|$)|nope|nein|non(?=[,.!;])|нет)\b"
    r"|\b(?:actually|hmm+|correction|on second thoughts?|let me (?:re)?check(?: again)?|i was wrong|i made a mistake"
    r"|my mistake|scratch that|let me re-?(?:think|consider|examine|evaluate)|upon (?:closer|further|re)\w*"
    r"|looking again|i mean|warte|espera|perdón|attends|aspetta|espere|стоп|подождите)\b"
    r"|不对|等等|更正|等一下|不,|重新|再看|いや|待って|訂正|아니|잠깐|لا,|انتظر"
)
WITHDRAWALS = (
    rf"{_OPENING}(?:wait|hold on)\b"
    r"|\b(?:hmm+|let me (?:(?:re-?|double-?)?check|look|verify|re-?(?:think|consider|examine))(?: \w+)?"
    r" ?(?:again|once more|that|this)?|on second thoughts?|scratch that|i was wrong|i made a mistake)\b"
    r"|等等|等一下|不对|再看|再检查|待って|잠깐"
)
CONCLUSIONS = (
    r"\b(?:final|finally|so|therefore|thus|hence|in conclusion|to conclude|overall|in summary|consequently|conclusion"
    r"|por (?:lo )?tanto|entonces|portanto|donc|ainsi|quindi|perciò|daher|somit|folglich|deshalb|итак|поэтому"
    r"|следовательно|значит)\b|最终|因此|所以|综上|故|总之|したがって|よって|従って|따라서|그러므로|لذلك|إذن|إذا"
)
BECAUSE = r"because|since|as|with|which"
FOLLOWING = (
    rf"{BECAUSE}|is|and|or|but|not|rather|based|due|given|from|in|on|for|if|when|while|where|that|who|are|was|so"
)
"""Words that can follow a letter and never an article: "A because", "A is"."""
REFUSALS = (
    "sorry", "cannot", "can't", "can’t", "can not", "unable", "impossible", "not possible", "n/a", "not enough",
    "not sufficient", "not clear", "not visible", "insufficient", "undetermined", "no answer", "don't know",
    "do not know", "not sure", "unclear", "refuse", "unknown", "not available", "lo siento", "no puedo",
    "je ne peux", "désolé", "kann nicht", "leider", "não posso", "non posso", "не могу", "к сожалению",
)  # fmt: skip
"""Whole words, of which every refusal contains one, in scripts with spaces between words."""
UNSPACED_REFUSALS = (
    "无法", "不能", "抱歉", "对不起", "不知道", "看不", "不确定", "わかりません", "できません", "申し訳", "없습니다",
    "죄송", "آسف", "لا أستطيع", "لا يمكن",
)  # fmt: skip
"""The same for other scripts, anywhere in a text."""
EXPLANATIONS = (
    r"(?:explanation|reason|reasoning|rationale|because|note|justification|explication|begründung"
    r"|explicación|解释|理由|原因|说明|因为)\b"
)
YES = ("yes", "yeah", "sí", "oui", "ja", "sim", "да", "是", "是的", "对", "はい", "예", "네", "نعم", "sì")
NOES = ("no", "nope", "no", "non", "nein", "não", "нет", "否", "不是", "不", "いいえ", "아니요", "아니오", "لا", "no")
