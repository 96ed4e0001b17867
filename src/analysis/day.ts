/** Whether a text is a day of the calendar, such as `2027-03-31`. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // A day that its month does not have becomes one of the next month.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
