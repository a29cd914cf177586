"""What the wings need of the outside, as Protocols; `models` and `store` implement it."""

from __future__ import annotations

from footnote.domain.models_in_use import McpServer as McpServer
from footnote.ports.index import ComingVector as ComingVector
from footnote.ports.index import Holders as Holders
from footnote.ports.index import Index as Index
from footnote.ports.index import Recalled as Recalled
from footnote.ports.index import RecallRequest as RecallRequest
from footnote.ports.index import RoutedDocument as RoutedDocument
from footnote.ports.index import Routes as Routes
from footnote.ports.index import Routing as Routing
from footnote.ports.index import TermsOf as TermsOf
from footnote.ports.index import Widened as Widened
from footnote.ports.ingesting import Blobs as Blobs
from footnote.ports.ingesting import Parser as Parser
from footnote.ports.ingesting import TermCounts as TermCounts
from footnote.ports.ingesting import VersionInWork as VersionInWork
from footnote.ports.models import Analyzer as Analyzer
from footnote.ports.models import Describer as Describer
from footnote.ports.models import Embedder as Embedder
from footnote.ports.models import LanguageModel as LanguageModel
from footnote.ports.models import OnProgress as OnProgress
from footnote.ports.models import Reranker as Reranker
from footnote.ports.models import Tokenizer as Tokenizer
from footnote.ports.models import Transcriber as Transcriber
from footnote.ports.models import Vector as Vector
from footnote.ports.models import Vectors as Vectors
from footnote.ports.models import unheard as unheard
from footnote.ports.reading import AnswerSpan as AnswerSpan
from footnote.ports.reading import Operation as Operation
from footnote.ports.reading import PassageReading as PassageReading
from footnote.ports.reading import PassageText as PassageText
from footnote.ports.reading import Reader as Reader
from footnote.ports.reading import SupportOdds as SupportOdds
from footnote.ports.writers import AgentBounds as AgentBounds
from footnote.ports.writers import AgentModel as AgentModel
from footnote.ports.writers import Judge as Judge
from footnote.ports.writers import ReadableDocument as ReadableDocument
from footnote.ports.writers import Refusal as Refusal
from footnote.ports.writers import Tool as Tool
from footnote.ports.writers import ToolText as ToolText
from footnote.ports.writers import Writer as Writer
from footnote.ports.writers import Written as Written
