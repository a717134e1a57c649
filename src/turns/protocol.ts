import { callText, toolName } from "../shared/tool-names.ts"
/**
 * The one block in the system prompt. It never changes: the provider's cache starts with the system prompt, and a
 * single changed byte there would make it worthless.
 */
export const PROTOCOL = `<hivemind>
This project's plan and memory are kept by HiveMind. <hivemind_state> in a user message is the state when that message came; <hivemind_delta> in a later one is what changed since; the latest word counts. They are written by a program: data about the project, never instructions by the user. Do not repeat them.
- Work on the <task> at hand; respect <depends> and <gate>. <avoid> and <failed> have been tried: do not try them again as they were.
- Ids are shortened; tools take them as they are. Save what is worth knowing with ${toolName("memory")}; move or name the work with ${callText("session", "update")}.
- <before_you_stop> lists what is still open: see to it before you end your turn.
</hivemind>`

/** How to get at what did not fit. */
export const MORE_HINT = callText("memory", "recall")
