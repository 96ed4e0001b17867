import { describe, expect, it } from 'vitest'
import type { BootstrapClass } from '../../src/apf/defaults/index.ts'
import { danglingCondition, isRemoved, maintenanceOf, missingLevelColumn } from '../../src/apf/maintenance.ts'
import type { Condition } from '../../src/apf/objects.ts'
import { vectors } from './vectors.ts'

interface EnsurerInput {
  class: BootstrapClass
  exists: boolean
  annotation: string | null
  generation: number | null
  specDiffersFromDefault: boolean | null
}

const ensurer = vectors<EnsurerInput, { action: string; annotationAfter: string }>('classification', 'ensurerAction')

describe.each(ensurer)('$input.class $note $input.annotation', ({ input, expected }) => {
  it('is maintained as the server does', () => {
    const { exists, generation, specDiffersFromDefault } = input
    const current =
      exists && generation !== null && specDiffersFromDefault !== null
        ? { class: input.class, annotation: input.annotation, generation, specDiffersFromDefault }
        : null
    expect(maintenanceOf(current)).toEqual(expected)
  })
})

const removal = vectors<{ inCurrentDefaults: boolean; annotation: string | null }, { action: string }>(
  'classification',
  'ensurerRemoval',
)

describe.each(removal)('$note $input', ({ input, expected }) => {
  it('is deleted only as a default of old', () => {
    expect(isRemoved(input) ? 'delete' : 'keep').toBe(expected.action)
  })
})

const dangling = vectors<{ priorityLevel: string; exists: boolean }, object>('classification', 'danglingCondition')

describe.each(dangling)('level $input.priorityLevel', ({ input, expected }) => {
  it('gives the condition that servers write', () => {
    expect(danglingCondition(input.priorityLevel, input.exists)).toEqual(expected)
  })
})

const columns = vectors<{ conditions: Pick<Condition, 'type' | 'status'>[] }, { MISSINGPL: string }>(
  'classification',
  'missingPLColumn',
)

describe.each(columns)('conditions $input.conditions', ({ input, expected }) => {
  it('show as kubectl prints them', () => {
    expect(missingLevelColumn(input.conditions)).toBe(expected.MISSINGPL)
  })
})
