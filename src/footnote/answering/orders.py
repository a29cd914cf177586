"""Wordings in which a text gives orders to a model that reads it, in English and in signs."""

from __future__ import annotations

# Written against what is known of planted instructions; every gap is bounded, which keeps hostile
# text linear. They are matched in lower case, after compatibility forms and look-alike letters
# have been resolved and runs of white space have become one space. The comment that a pattern
# begins with names what must stand somewhere in a text for it to match at all: one of the
# alternatives between `|`, of every group between `&`. To look for these first is many times as
# fast.

_REPLY_EN = r"(?:answer|response|reply|output|summary)"

ENGLISH: tuple[str, ...] = (
    # To forget what it was told.
    r"(?#instruction|prompt|rule|direction|guideline|command|orders|constraint|restriction|"
    r"polic|programming|training)"
    r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|overlook|bypass|neglect|"
    r"skip|do(?: not|n't) (?:follow|obey)|stop (?:following|obeying)|"
    r"pay no attention to)\b.{0,40}\b(?:previous|prior|above|earlier|preceding|foregoing|"
    r"initial|original|system|safety|your|all|any|every|these|those|"
    r"other)\b.{0,30}\b(?:instructions?|prompts?|rules?|directions?|guidelines?|commands?|"
    r"orders|constraints?|restrictions?|polic(?:y|ies)|programming|training)\b(?! manual)",
    r"(?#forget|ignore|disregard)"
    r"\b(?:forget|ignore|disregard) (?:everything|anything|all|"
    r"what(?:ever)?)\b.{0,30}\b(?:before|above|previous|earlier|told|said|learned|know)\b",
    r"(?#new instruction|new task|new objective|new role|new system)"
    r"\bnew (?:instructions?|task|objective|role|system prompt) ?(?::|for (?:you|the (?:ai|"
    r"model)))",
    r"(?#your new|your real|your true|your actual|your only)"
    r"\byour (?:new|real|true|actual|only) (?:instructions?|task|role|goal|purpose|objective|"
    r"job)\b (?:is|are)\b",
    # To be someone else.
    r"(?#you are |you will be )"
    r"\byou (?:are|will be) (?:now|no longer|henceforth) (?:an?|in|my|the|bound|acting|called|"
    r"free|allowed|restricted|dan\b|un)",
    r"(?#from now on|from this point on)"
    r"\bfrom (?:now|this point) on,? (?:you (?:are|will|must|should|shall|act|respond|reply|"
    r"answer|only)|act|respond|reply|answer|always|only|ignore|speak)\b",
    r"(?#pretend|imagine)"
    r"\b(?:pretend|imagine) (?:that )?(?:to be|you(?:'re| are| were| have no)|"
    r"there are no)\b.{0,40}\b(?:ai|assistant|model|admin|developer|rules?|restrictions?|dan|"
    r"hacker|pirate)\b",
    r"(?#act as )"
    r"\bact as (?:if you (?:are|were)|an? (?:unrestricted|uncensored|evil|different|new|"
    r"helpful)|my |dan\b|the (?:system|admin|developer))",
    r"(?# mode)"
    r"\b(?:developer|god|debug|admin|maintenance|jailbreak|dan|"
    r"unrestricted) mode\b.{0,30}\b(?:enabled|activated|on|now|enter|switch)|\b(?:enter|enable|"
    r"activate|switch to) (?:developer|god|debug|admin|jailbreak|dan|unrestricted) mode\b",
    r"(?#jailbr)"
    r"\bjailbr(?:eak|oken)\b.{0,40}\b(?:ai|model|prompt|assistant|gpt|yourself)\b",
    # Spoken to as a model.
    r"(?# ai|llm|language model|chatbot|chat bot|gpt|claude|gemini|copilot|assistant)"
    r"\b(?:if|when|since|as) you(?:'re| are) an? (?:ai|llm|(?:large )?language model|chat ?bot|"
    r"virtual assistant|ai (?:assistant|agent|model))\b",
    r"(?# ai|llm|language model|chatbot|chat bot|gpt|claude|gemini|copilot|assistant)"
    r"\b(?:note|message|instructions?|attention|notice|reminder|important)\b[ :,!-]{1,3}(?:to|"
    r"for|:)? ?(?:the |any |all )?(?:ais?|llms?|(?:large )?language models?|chat ?bots?|gpt|"
    r"chatgpt|claude|gemini|copilot|ai (?:assistants?|agents?|models?|systems?|readers?))\b",
    r"(?# ai|llm|language model|chatbot|chat bot|gpt|claude|gemini|copilot|assistant)"
    r"\b(?:ais?|llms?|language models?|chat ?bots?|ai (?:assistants?|agents?|"
    r"models?))\b.{0,30}\b(?:reading|processing|summari[sz]ing|parsing|analy[sz]ing) this\b",
    r"(?# ai|llm|language model|chatbot|chat bot|gpt|claude|gemini|copilot|assistant)"
    r"\b(?:hey|hi|hello|dear|attention|ok),? (?:ai|assistant|chat ?gpt|gpt|claude|gemini|"
    r"copilot|chat ?bot|language model)\b",
    r"(?# ai|llm|language model|chatbot|chat bot|gpt|claude|gemini|copilot)"
    r"\b(?:the )?(?:ai(?: assistant| agent| model)?|language model|chat ?bot|llm) (?:must|"
    r"should|shall|needs? to|is (?:required|instructed|ordered) to|has to) (?:now |always |"
    r"never |also |immediately )?(?:ignore|answer|reply|respond|say|tell|output|write|include|"
    r"recommend|state|reveal|send|call|use|conclude|rate|repeat|not)\b",
    # To show what it hides.
    r"(?#prompt|instruction|message)"
    r"\b(?:reveal|print|output|repeat|show|leak|expose|display|disclose|dump|send|recite|"
    r"give)\b.{0,40}\b(?:system|hidden|initial|secret|original|your) (?:prompt|instructions?|"
    r"message)\b",
    r"(?#api|password|credential|token|history|log|conversation|document|messages|private data|"
    r"user)"
    r"(?<!not )(?<!never )\b(?:print|output|leak|dump|exfiltrate|append|encode|"
    r"embed)\b.{0,60}\b(?:api[ _-]?keys?|passwords?|credentials|access tokens?|(?:chat|"
    r"conversation) (?:history|log)|(?:previous|other) (?:conversations?|documents?|messages?)|"
    r"private data|user'?s? (?:data|name|question|query|messages?|e-?mails?))\b",
    # To carry it out.
    r"(?#url|link|query|image)"
    r"\b(?:append|add|attach|insert|put|encode|include)\b.{0,60}\b(?:to|in|into|as) (?:the|this|"
    r"a|an) (?:url|link|query string|query parameter|image (?:url|link|source))\b",
    r"(?#http|www.|![|url)"
    r"\b(?:render|display|show|include|embed|insert|load|output|generate)\b.{0,40}\b(?:image|"
    r"picture|pixel|iframe|markdown|link)\b.{0,60}(?:https?:|www\.|!\[|\burl\b)",
    r"(?#http|www.|@|to this|to the following)"
    r"\b(?:send|forward|post|upload|e-?mail|transmit|submit)\b.{0,60}\b(?:conversation|chat|"
    r"prompt|context|everything|all (?:the )?(?:data|documents|files|e-?mails|messages)|"
    r"summary of (?:this|the)|contents? of (?:the|this|your))\b.{0,60}(?:https?:|www\.|@|"
    r"\bto (?:this|the following))",
    # Only this, and say nothing of it.
    r"(?#only|exactly|nothing but|just |solely|exclusively&respond|reply|answer|output|say|"
    r"write|print|return)"
    r"\b(?:respond|reply|answer|output|say|write|print|return)\b.{0,16}\b(?:only|exactly|"
    r"nothing but|just|solely|exclusively)\b (?:with|the|this|in|using|:|\"|'|that|yes|"
    r"no\b)(?!.{0,40}\b(?:questions?|numbers? of|form|box|if applicable)\b)",
    r"(?#answer|response|reply|output|summary&only|entire|whole|full|final|next)"
    rf"\b(?:your|the) (?:only|entire|whole|full|final|next) {_REPLY_EN} (?:must|should|shall|"
    r"has to|will|is to)\b",
    r"(?#not |n't&user|instruction|prompt|message|text|rule|note|source|human|reader&mention|"
    r"reveal|tell|disclose|cite|quote|inform|alert|show|refer)"
    r"\bdo(?: not|n't) (?:mention|reveal|tell|disclose|cite|quote|inform|alert|show|"
    r"refer to)\b.{0,30}\b(?:user|this (?:instruction|prompt|message|text|rule|note)|"
    r"these instructions|(?:your|the|any) (?:sources?|instructions?|prompt)|human|reader)\b",
    r"(?#not |n't&question|query|request|source|document&answer|respond|use|cite)"
    r"\bdo(?: not|n't) (?:answer|respond to|use|cite)\b.{0,30}\b(?:user'?s? (?:question|query|"
    r"request)|the question|other (?:sources?|documents?)|the (?:other )?sources)\b",
    # To change how it answers.
    r"(?#your &answer|response|reply|output|summary)"
    r"(?:^|[.!?:;,\"\n|] ?|\bplease |\b(?:must|should|to|and|then) )(?:also |always |then |"
    r"now )?(?:add|include|insert|integrate|append|augment|enhance|modify|mention|replace|use|"
    r"provide|render|convert|remove|rearrange|scramble|jumble|shuffle|introduce|combine|group|"
    r"anagram|misspell|translate|encode|write|begin|start|end|finish|substitute|incorporate|"
    r"embed|change|rewrite|format|sign|close|prefix|suffix|weave|slip|work|conclude|preface|"
    r"alter|adjust|deliver|give|express|spell|reverse|capitali[sz]e)\b(?! (?:the|your|our|this|"
    r"that|an?) (?:order|reference|customer|invoice|case|file|account|booking|policy|ticket|"
    r"claim|contract|member|tracking|phone|telephone|full name|name|"
    rf"date)\b).{{0,140}}?\byour (?:own |next |final |every |entire )?(?:\w+ )?{_REPLY_EN}(?:'s|"
    r"s)?\b",
    r"(?#letters|words|spelling|vowels|characters&answer|response|reply|output|summary|message)"
    r"(?:^|[.!?:;\"\n|] ?|\bplease )(?:modify|scramble|jumble|anagram|misspell|rearrange|"
    r"shuffle|rewrite)\b.{0,60}\b(?:letters|words|spelling|vowels|"
    rf"characters)\b.{{0,60}}\b(?:{_REPLY_EN}|message)\b",
    r"(?#in your|in every|in each|in all|in the&answer|response|reply|output|summary)"
    rf"\bin (?:your|every|each|all|the) (?:next |final )?(?:{_REPLY_EN})(?:s|"
    r"ies)?,? (?:please )?(?:suggest|tease|promote|recommend|advise|tell|claim|hint|encourage|"
    r"urge|ask|say|pretend|insert|use only|speak|link|praise)\b",
    r"(?#letters|vowels|spaces|typos|homophonic|alphanumeric|anagram&answer|response|reply|"
    r"output|summary|message)"
    r"(?:^|[.!?:;\"\n|] ?)(?:substitute|replace|convert|remove|render|use|group|combine|jumble|"
    r"scramble|rearrange|misspell)\b.{0,60}\b(?:letters|vowels|spaces|typos|homophonic|"
    r"alphanumeric|anagrams?)\b.{0,60}\b(?:your|the) (?:\w+ )?(?:answer|response|reply|message|"
    r"output)\b",
    r"(?#system)"
    r"\bsystem (?:override|prompt override|command override|instruction)s?\b ?[:\]]",
    r"(?#tool|plugin)"
    r"\b(?:call|invoke|use|run|execute|trigger)\b.{0,20}\b(?:the|your|"
    r"a) [`\"']?\w{3,40}[`\"']? (?:tool|plugin)\b.{0,80}\b(?:with|to|and|using|on|now)\b",
)

ANY_LANGUAGE: tuple[str, ...] = (
    # Control tokens of chat templates, and roles set apart by tags.
    r"(?#<|[)"
    r"<\|[a-z_0-9 ]{2,40}\|>|\[/?inst\]|<</?sys>>|\[/?(?:system_prompt|tool_calls|"
    r"available_tools|tool_results)\]|<(?:start|end)_of_turn>",
    r"(?#<)"
    r"</?(?:system|sys|instructions?|system[_-]prompt|assistant|tool_calls?|tool_use|"
    r"function_calls?|function_results?|invoke|parameter|antml:\w+)(?: [^<>]{0,80})?>",
    r"(?##)"
    r"(?:^|\n) ?#{1,4} ?(?:system|instructions?|assistant|developer|"
    r"new instructions?) ?(?:prompt|message|note|override)? ?:",
    r"(?#system|developer|admin)"
    r"(?:^|\n) ?\[?\(?(?:system|developer|admin(?:istrator)?)[ _-]?(?:prompt|message|note|"
    r"override|instruction|command|alert|notice)?\)?\]? ?: .{0,80}\b(?:you|your|ignore|must|"
    r"respond|reply|answer|output|assistant|ai|model)\b",
    # Our own fences and markers.
    r"(?#==)"
    r"={2,} ?(?:end ?)?(?:of ?)?(?:sources?|conversation|documents?|context|prompt|"
    r"instructions?) ?={2,}",
    r"(?#user question|user query|human|user input)"
    r"(?:^|\n) ?(?:user question|user query|human|user input) ?: .{0,200}(?:^|\n) ?(?:assistant|"
    r"answer|ai) ?:",
    # A picture or link that carries something away.
    r"(?#![)"
    r"!\[[^\]]{0,80}\]\( ?https?://[^)\s]{0,200}[?&=/{][^)]{0,200}(?:\{|\[|<|%7b|\$|(?:data|q|"
    r"query|secret|token|c|msg|s|d|info|leak|exfil|payload|user|history|prompt|summary)=)",
    r"(?#http)"
    r"https?://[^\s)\"']{0,200}[?&/=](?:\{|\[|<|%7b)[^\s]{0,60}",
    # A call of a tool, as models write it.
    r"(?#{)"
    r"\{ ?\"(?:tool|tool_name|function|function_call|tool_calls?|action|"
    r"recipient_name)\" ?: ?[\"{\[].{0,120}\"(?:arguments|args|input|parameters|params|"
    r"action_input)\" ?:",
)
