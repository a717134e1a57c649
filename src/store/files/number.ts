/** A number as file names have it: names are then in the order of their numbers. */
export function sixDigits(number: number): string {
  return String(number).padStart(6, "0")
}
