import { describe, expect, it } from 'vitest'
import { regionEntries } from '../../src/regions/entry.ts'
import { EVERY_REQUEST, NO_REQUEST, subtractRegion } from '../../src/regions/region.ts'
import { nonResourceRuleRegion, resourceRuleRegion } from '../../src/regions/rules.ts'
import { PATHS, PLAIN } from '../../src/regions/spaces.ts'
import { everything, makeSet } from '../../src/regions/string-set.ts'

const EVERYTHING = { notIn: [] }
const PODS = {
  verbs: ['*'],
  apiGroups: [''],
  resources: ['pods', 'pods/log'],
  namespaces: ['web', 'shop'],
  clusterScope: true,
}

function pathEntries(outside: boolean, folders: Record<string, boolean>, paths: Record<string, boolean>) {
  const set = makeSet(PATHS, outside, new Map(Object.entries(folders)), new Map(Object.entries(paths)))
  return regionEntries({ ...NO_REQUEST, nonResource: [[set, everything(PLAIN)]] }).map((entry) =>
    'nonResourceURLs' in entry ? entry.nonResourceURLs : null,
  )
}

describe('printed regions', () => {
  it('list the namespaces of namespaced requests, and none of the others', () => {
    const resources = { verbs: EVERYTHING, apiGroups: { in: [''] }, resources: { in: ['pods', 'pods/log'] } }
    expect(regionEntries(resourceRuleRegion(PODS))).toEqual([
      { ...resources, scope: 'namespaced', namespaces: { in: ['shop', 'web'] } },
      { ...resources, scope: 'cluster', namespaces: { in: [] } },
    ])
  })

  it('are three entries for everything', () => {
    const resources = { verbs: EVERYTHING, apiGroups: EVERYTHING, resources: EVERYTHING }
    expect(regionEntries(EVERY_REQUEST)).toEqual([
      { ...resources, scope: 'namespaced', namespaces: EVERYTHING },
      { ...resources, scope: 'cluster', namespaces: { in: [] } },
      { verbs: EVERYTHING, nonResourceURLs: EVERYTHING },
    ])
  })

  it('name what is not in them', () => {
    const rule = resourceRuleRegion({ ...PODS, apiGroups: ['*'], namespaces: ['*'] })
    const rest = regionEntries({ ...NO_REQUEST, cluster: subtractRegion(EVERY_REQUEST, rule).cluster })
    expect(rest).toEqual([
      {
        verbs: EVERYTHING,
        apiGroups: EVERYTHING,
        resources: { notIn: ['pods', 'pods/log'] },
        scope: 'cluster',
        namespaces: { in: [] },
      },
    ])
  })

  it('sort by bytes, not by UTF-16', () => {
    const verbs = ['\u{1f600}', '\uffee', 'b', 'a']
    const [entry] = regionEntries(nonResourceRuleRegion({ verbs, nonResourceURLs: ['*'] }))
    expect(entry?.verbs).toEqual({ in: ['a', 'b', '\uffee', '\u{1f600}'] })
  })

  it.each([
    [
      'a rule entry: itself and all below',
      false,
      { '/healthz/': true },
      { '/healthz': true },
      [{ in: ['/healthz', '/healthz/*'] }],
    ],
    ['a folder without one path', false, { '/a/': true }, { '/a/b': false }, [{ in: ['/a/*'], except: ['/a/b'] }]],
    ['a folder without another', false, { '/a/': true, '/a/b/': false }, {}, [{ in: ['/a/*'], except: ['/a/b/*'] }]],
    [
      'what comes back inside an exception, apart',
      false,
      { '/a/': true, '/a/b/': false, '/a/b/c/': true },
      { '/a/b/x': true },
      [{ in: ['/a/*'], except: ['/a/b/*'] }, { in: ['/a/b/c/*', '/a/b/x'] }],
    ],
    ['all but a folder', true, { '/a/': false }, { '/b': false }, [{ notIn: ['/a/*', '/b'] }]],
    [
      'all but most of a folder',
      true,
      { '/a/': false, '/a/b/': true },
      { '/a/x': true },
      [{ in: ['/a/b/*', '/a/x'] }, { notIn: ['/a/*'] }],
    ],
    [
      'literals that look like patterns',
      false,
      {},
      { '/a/*': true, '*': true, '/a*': true },
      [{ in: [{ exact: '*' }, '/a*', { exact: '/a/*' }] }],
    ],
    ['all paths of a URL', false, { '/': true }, {}, [{ in: ['/*'] }]],
  ] as const)('say of paths: %s', (_, outside, folders, paths, expected) => {
    expect(pathEntries(outside, folders, paths)).toEqual(expected)
  })
})
