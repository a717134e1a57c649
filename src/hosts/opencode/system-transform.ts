import { PROTOCOL } from "../../turns/protocol.ts"

/**
 * Adds the protocol to the system prompt of conversations. Hidden requests (titles, summaries, compaction) have the
 * same session id and no name, but only a conversation's prompt tells the model about its working folder.
 */
export function systemTransformHook(directory: string) {
  return (system: string[]): void => {
    const isConversation = system.some((text) => text.includes(directory))
    if (isConversation) system.push(PROTOCOL)
  }
}
