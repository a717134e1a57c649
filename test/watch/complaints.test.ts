import { expect, it } from "vitest"
import { isComplaint } from "../../src/watch/complaints.ts"

it.each([
  "It still overlaps.",
  "It's still not fixed.",
  "Still the same. Look again.",
  "That did not help.",
  "no, same error as before",
  "it doesn't work",
])("says that it has not helped: %s", (text) => expect(isComplaint(text)).toBe(true))

it.each([
  "Still a bit larger, please.",
  "Now the subtitle, the same size as before.",
  "The button is still blue, make it green.",
  "Now fix the second error as well.",
  "Make the same change in the footer.",
  "Works, thanks. Is the old one still needed?",
  "",
])("does not: %s", (text) => expect(isComplaint(text)).toBe(false))
