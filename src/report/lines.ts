/** Many small pieces of text, written in large ones and no faster than the reader takes them. */
export interface LineWriter {
  /** Returns a promise when the caller should wait before writing more. */
  write(text: string): Promise<void> | undefined
  /** Writes what is still held back. */
  flush(): Promise<void>
}

/** UTF-16 units that are collected before they are passed on. */
const CHUNK = 64 * 1024

export function lineWriter(sink: { write(text: string): Promise<void> | undefined }): LineWriter {
  let held = ''
  const pass = () => {
    const text = held
    held = ''
    return sink.write(text)
  }
  return {
    write(text) {
      held += text
      return held.length < CHUNK ? undefined : pass()
    },
    async flush() {
      if (held !== '') await pass()
    },
  }
}
