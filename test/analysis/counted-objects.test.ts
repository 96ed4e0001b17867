import { expect, it } from 'vitest'
import { countedObjects } from '../../src/analysis/counted-objects.ts'

const server = {
  storedObjects: new Map([
    ['pods', { count: 3, bytes: 7001 }],
    ['deployments.apps', { count: 40, bytes: null }],
    ['events', { count: 0, bytes: 0 }],
    ['secrets', { count: null, bytes: null }],
  ]),
}

it.each([
  ['pods', '', { count: 3, averageBytes: 2334 }],
  ['deployments', 'apps', { count: 40, averageBytes: null }],
  ['events', '', { count: 0, averageBytes: null }],
  ['secrets', '', 'stale'],
  ['nodes', 'metrics.k8s.io', 'unknown'],
])('objects of %s of group "%s"', (resource, apiGroup, stored) => {
  expect(countedObjects(server, { resource, apiGroup })).toEqual(stored)
})

it('are not known of a server whose metrics tell of no resource', () => {
  expect(countedObjects({ storedObjects: new Map() }, { resource: 'pods', apiGroup: '' })).toBeNull()
})
