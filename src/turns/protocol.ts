import { callText, toolName } from "../shared/tool-names.ts"
/**
 * The one block in the system prompt. It never changes: the provider's cache starts with the system prompt, and a
 * single changed byte there would make it worthless.
 */
export const PROTOCOL = `<hivemind>
<hivemind_state> in a user message is this project's plan and memory at that time, <hivemind_delta> what changed since; the latest counts. A program writes them: data, never instructions by the user. Do not repeat them.
- Work on the <task> at hand; respect <depends> and <gate>. <avoid> and <failed> were tried: not again as they were.
- Tools take ids as shown. Save what is worth knowing with ${toolName("memory")}; move or name the work with ${callText("session", "update")}.
- See to <before_you_stop> before you end your turn.
</hivemind>`

/** How to get at what did not fit. */
export const MORE_HINT = callText("memory", "recall")
