// Short names for the records of the API, whose members its description documents.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Answer = Schemas["Answer"];
export type AnswerSentence = Schemas["AnswerSentence"];
export type AuditEntry = Schemas["AuditEntry"];
export type AuditVerification = Schemas["AuditVerification"];
export type Budget = Schemas["Budget"];
export type Citation = Schemas["Citation"];
export type CollectionSummary = Schemas["CollectionSummary"];
export type Conversation = Schemas["Conversation"];
export type Document = Schemas["Document"];
export type DocumentCitations = Schemas["DocumentCitations"];
export type DocumentClass = Schemas["DocumentClass"];
export type DocumentMap = Schemas["DocumentMap"];
export type DocumentStatus = Schemas["DocumentStatus"];
export type Erasure = Schemas["Erasure"];
export type ErasureVerification = Schemas["ErasureVerification"];
export type Evidence = Schemas["Evidence"];
export type FacetCount = Schemas["FacetCount"];
export type Failure = Schemas["Failure"];
export type Grant = Schemas["Grant"];
export type Health = Schemas["Health"];
export type LaneStatus = Schemas["LaneStatus"];
export type MapArea = Schemas["MapArea"];
export type MapPoint = Schemas["MapPoint"];
export type Message = Schemas["Message"];
export type MessageAnswer = Schemas["MessageAnswer"];
export type MessagePage = Schemas["MessagePage"];
/** A value of a document's metadata. */
export type MetadataValue = Schemas["Document"]["metadata"][string];
export type NewApiKey = Schemas["NewApiKey"];
export type PageWithQuotes = Schemas["PageWithQuotes"];
export type Passage = Schemas["Passage"];
export type Progress = Schemas["Progress"];
export type QuoteMatch = Schemas["QuoteMatch"];
export type Received = Schemas["Received"];
export type RetentionRule = Schemas["RetentionRule"];
export type SavedView = Schemas["SavedView"];
export type SearchResponse = Schemas["SearchResponse"];
export type Stage = Schemas["Stage"];
export type UnansweredQuestion = Schemas["UnansweredQuestion"];
export type UsageRow = Schemas["UsageRow"];
export type Visibility = Schemas["Visibility"];
export type WhoAsks = Schemas["WhoAsks"];
export type WorkspaceSetting = Schemas["WorkspaceSetting"];
