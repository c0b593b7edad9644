export type {
  AnswerView,
  CallView,
  DelegateView,
  RetryView,
  SettledView,
  SubmitTotals,
  ViewState,
} from "./contract.ts";
export { EMPTY_VIEW, viewAfter } from "./view.ts";
