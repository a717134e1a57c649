import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base"
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base"
import { expect, it } from "vitest"
import { createInjector } from "../../../src/context/inject/injector.ts"
import type { SeenMessage } from "../../../src/context/inject/seen-message.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { LANGUAGES } from "../../shared/text/languages.ts"
import { fileHive } from "../../support/file-hive.ts"
import { aMem, by } from "../../support/records.ts"

it("a block is counted for the model that answers, and stays as it is when another one does", async () => {
  const { hive, block, message } = await projectInHindi()
  const first = block(hive, "ses_newer", newer)
  const safe = block(hive, "ses_unknown", unknown)
  expect(o200k(first).length).toBeLessThanOrEqual(3840)
  expect(o200k(first).length).toBeGreaterThan(3840 * 0.6)
  expect(cl100k(safe).length).toBeLessThanOrEqual(3840)
  expect(first.length).toBeGreaterThan(safe.length * 1.8)
  expect(block(hive, "ses_newer", unknown, [message(1), message(2)])).toBe(first)
  expect(block(hive, "ses_unknown", newer, [message(1), message(2)])).toBe(safe)
})

const newer = { name: "gpt-5", window: 128_000 }
const unknown = { name: "big-pickle", window: 128_000 }

async function projectInHindi() {
  const hive = await fileHive()
  const texts = LANGUAGES["Hindi"] ?? []
  await hive.store.append(by, (tx) => {
    for (let n = 0; n < 300; n++)
      tx.add("mem", { ...aMem(n), kind: "decision", content: `${n}: ${texts[n % texts.length]}` })
  })
  const injector = createInjector({
    paths: hivePaths(hive.home),
    evidence: () => undefined,
    files: () => undefined,
    more: "ask",
    onError: (what, error) => {
      throw new Error(what, { cause: error })
    },
  })
  const message = (n: number): SeenMessage => ({
    id: `msg_${n}`,
    role: "user",
    text: "go on",
    isCompactionRequest: false,
  })
  return {
    hive,
    message,
    block: (of: typeof hive, session: string, model: typeof newer, sent = [message(1)]) =>
      injector.inject(of, session, sent, model).parts.get("msg_1")?.join("\n") ?? "",
  }
}
