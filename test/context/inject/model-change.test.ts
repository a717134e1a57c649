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

it("an unknown model that counts like o200k gets blocks counted so, also after a restart, until it counts otherwise", async () => {
  const { hive, block, message, answers, restart } = await projectInHindi()
  const safe = block(hive, "ses_1", unknown)
  block(hive, "ses_1", unknown, [message(1), ...answers("big-pickle", o200k), message(2)])
  const learned = block(hive, "ses_2", unknown)
  expect(o200k(learned).length).toBeLessThanOrEqual(3840)
  expect(o200k(learned).length).toBeGreaterThan(3840 * 0.6)
  expect(block(hive, "ses_2", unknown, [message(1), message(2)])).toBe(learned)
  expect(block(hive, "ses_3", { ...unknown, name: "another one" })).toBe(safe)
  restart()
  expect(block(hive, "ses_4", unknown)).toBe(learned)
  // The name stands for another model now.
  block(hive, "ses_4", unknown, [message(1), ...answers("big-pickle", cl100k), message(2)])
  restart()
  expect(block(hive, "ses_5", unknown)).toBe(safe)
})

it("an unknown model that counts like cl100k never gets more than its budget", async () => {
  const { hive, block, message, answers, restart } = await projectInHindi()
  const safe = block(hive, "ses_1", unknown)
  block(hive, "ses_1", unknown, [message(1), ...answers("big-pickle", cl100k), message(2)])
  restart()
  const after = block(hive, "ses_2", unknown)
  expect(after).toBe(safe)
  expect(cl100k(after).length).toBeLessThanOrEqual(3840)
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
  const open = () =>
    createInjector({
      paths: hivePaths(hive.home),
      evidence: () => undefined,
      files: () => undefined,
      more: "ask",
      onError: (what, error) => {
        throw new Error(what, { cause: error })
      },
    })
  let injector = open()
  const message = (n: number): SeenMessage => ({
    id: `msg_${n}`,
    role: "user",
    text: "go on",
    isCompactionRequest: false,
  })
  const answers = (model: string, encode: (text: string) => number[]) =>
    texts.map(
      (text, n): SeenMessage => ({
        ...message(n),
        id: `answer_${n}`,
        role: "assistant",
        text,
        counted: { model, text, tokens: encode(text).length, isAll: true },
      }),
    )
  return {
    hive,
    message,
    answers,
    restart: () => {
      injector = open()
    },
    block: (of: typeof hive, session: string, model: typeof newer, sent = [message(1)]) =>
      injector.inject(of, session, sent, model).parts.get("msg_1")?.join("\n") ?? "",
  }
}
