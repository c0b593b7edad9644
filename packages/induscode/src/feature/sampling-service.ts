// What a feature may have the session's model answer. Shapes only.

/** Texts for the model, which sees nothing else of the session. */
export interface SampleRequest {
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  readonly system?: string | undefined;
  readonly maxTokens: number;
  readonly temperature?: number | undefined;
}

export interface SampleAnswer {
  readonly text: string;
  /** As `provider/model`. */
  readonly model: string;
  /** It ended at its limit of tokens. */
  readonly isCut: boolean;
}

/** Asks the model once. Rejects with why there is no answer, or with `Aborted`. */
export type SamplingService = (request: SampleRequest, signal: AbortSignal) => Promise<SampleAnswer>;
