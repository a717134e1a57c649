import type { ModelRequest } from "../../live/bed/model-request.ts"

/** All that the model was sent with a request, as text. */
export function sent(request: ModelRequest | undefined): string {
  return JSON.stringify(request?.body)
}

/** How each agent shows the whole state: Gemini CLI escapes angle brackets. */
export const STATE = /[<[]hivemind_state[>\]]\\n/
