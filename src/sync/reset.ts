import type { HivePlace } from "../hive/locate.ts"
import { emptyHive } from "../store/remove-hive.ts"
import { removeBackup } from "./backup.ts"
import { explained } from "./git-errors.ts"
import { LOG_REF, openRepository, RESET_REF } from "./ref.ts"
import { isInRepository } from "./require-repository.ts"

/**
 * Deletes all records of a hive and their backup. The shared log is other clones' too and stays; what it has now is never
 * merged here again. Returns whether there is one.
 */
export async function resetHive(place: HivePlace): Promise<{ isShared: boolean }> {
  const isShared = isInRepository(place.dir) && (await forgetShared(place.dir))
  // First, so that no other process brings back what is deleted; then what one has saved in between.
  await removeBackup(place)
  await emptyHive(place.home)
  await removeBackup(place)
  return { isShared }
}

async function forgetShared(dir: string): Promise<boolean> {
  const repository = openRepository(dir)
  try {
    const shared = await repository.resolve(LOG_REF)
    if (shared !== undefined) await repository.move(RESET_REF, shared, await repository.resolve(RESET_REF))
    return shared !== undefined
  } catch (error) {
    throw explained(error, "reset")
  } finally {
    repository.close()
  }
}
