import { expect, it } from 'vitest'
import { parseServerVersion } from '../../src/apf/versions.ts'
import { metricVisibility, type Visibility } from '../../src/metrics/visibility.ts'
import { vectors } from './vectors.ts'

interface Input {
  metric: string
  version: string
  showHidden: boolean
}

it.each(vectors<Input, Visibility>('seats', 'metricVisibility'))(
  '$input.metric in $input.version, hidden ones shown: $input.showHidden: $expected',
  ({ input, expected }) => {
    const minor = parseServerVersion(input.version)?.minor ?? 0
    expect(metricVisibility(input.metric, minor, input.showHidden)).toBe(expected)
  },
)
