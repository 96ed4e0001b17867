import { describe, expect, it } from 'vitest'
import { readDump } from '../../src/metrics/dumps.ts'
import { vectors } from './vectors.ts'

interface Input {
  endpoint: string
  version: string
  text: string
}

describe.each(vectors<Input, { columns: string[]; rows: Record<string, string>[] }>('seats', 'debugDump'))(
  '$input.endpoint of $input.version',
  ({ input, expected }) => {
    it('is read by its header', () => {
      const { columns, rows, problems } = readDump(input.endpoint, input.text)
      expect({ columns, rows, problems }).toEqual({ ...expected, problems: [] })
    })
  },
)
