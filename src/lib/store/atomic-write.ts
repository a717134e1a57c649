import { explainSystemError } from "../../shared/system-error.ts"

/** Replaces a file in one step: readers see the old text or the new one, also after a crash. */
export async function writeAtomic(path: string, text: string): Promise<void> {
  const { default: write } = await import("write-file-atomic") // Not needed at the plugin's start.
  try {
    await write(path, text)
  } catch (error) {
    throw explainSystemError(error, "write a file", path)
  }
}

/** The name of a temporary file of `writeAtomic`, should a crash leave one behind. */
export const TEMP_FILE = /\.json\.\d+$/
