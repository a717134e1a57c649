/** The value, which a test knows to be there. Without it the test fails here instead of later, with a reason. */
export function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the test expects a value here")
  return value
}
