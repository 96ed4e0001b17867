/** A text as a stream of bytes, cut wherever the size says. */
export async function* chunks(text: string, size = 1 << 16): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}
