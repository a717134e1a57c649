import * as z from "zod"
import {
  addSums,
  type CountedText,
  isCheap,
  type ScriptSum,
  scriptSumOf,
} from "../../shared/text/shown-scripts.ts"
import { type Vocabulary, vocabularyOf } from "../../shared/text/tokens.ts"
import { existsSync } from "../../store/files/hive-fs.ts"
import { jsonLines } from "../../store/files/json-lines.ts"
import type { HivePaths } from "../../store/files/layout.ts"

/** What a model has written, with its own count of it. */
export interface WrittenAnswer extends CountedText {
  model: string
}

const shown = z.strictObject({ model: z.string(), script: z.string(), cheap: z.boolean() })

/**
 * How each model counts, learned from its answers: a name that is not known says nothing about the vocabulary, and a count
 * that is safe for all leaves most of the budget unused in some scripts. What has been learned is kept in the project.
 */
export function modelScripts(paths: HivePaths, onError: (what: string, error: unknown) => void) {
  const file = jsonLines(paths.vocabularies)
  const sums = new Map<string, ScriptSum>()
  let cheap: Map<string, Set<string>> | undefined

  function load(): Map<string, Set<string>> {
    if (cheap !== undefined) return cheap
    cheap = new Map()
    try {
      for (const line of file.read()) {
        const { data } = shown.safeParse(line)
        if (data !== undefined) note(cheap, data)
      }
    } catch (error) {
      onError("what is known of the models' vocabularies could not be read", error)
    }
    return cheap
  }

  function learn({ model, ...answer }: WrittenAnswer): void {
    if (vocabularyOf(model) !== "any") return
    const fresh = scriptSumOf(answer)
    if (fresh === undefined) return
    const { script } = fresh
    const key = `${model} ${script}`
    const sum = addSums(sums.get(key), fresh)
    const verdict = isCheap(sum)
    sums.set(key, sum)
    // From here on only what comes new counts: a name can come to stand for another model.
    if (verdict !== undefined) sums.delete(key)
    const isKnownCheap = load().get(model)?.has(script) ?? false
    if (verdict === undefined || verdict === isKnownCheap) return
    note(load(), { model, script, cheap: verdict })
    // A message alone creates no graph.
    if (existsSync(paths.graph)) file.append([{ model, script, cheap: verdict }])
  }

  return {
    vocabularyOf(model: string | undefined): Vocabulary {
      const known = vocabularyOf(model)
      return known === "any" && model !== undefined ? (load().get(model) ?? known) : known
    },
    /** Answers that were not there when the last message was sent. */
    learn(answers: readonly WrittenAnswer[]): void {
      try {
        for (const answer of answers) learn(answer)
      } catch (error) {
        onError("what a model's count says of its vocabulary could not be kept", error)
      }
    },
  }
}

function note(cheap: Map<string, Set<string>>, { model, script, cheap: isSo }: z.infer<typeof shown>): void {
  const scripts = cheap.get(model) ?? new Set()
  if (isSo) cheap.set(model, scripts.add(script))
  else scripts.delete(script)
}
