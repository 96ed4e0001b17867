import { describe, expect, it } from 'vitest'
import type { Note } from '../../src/kubectl/note.ts'
import { resolveReference, resolveResourceType } from '../../src/kubectl/resource-name.ts'
import { builtInResources } from '../../src/kubectl/resources.ts'

const catalog = builtInResources()

function type(text: string) {
  const notes: Note[] = []
  return { type: resolveResourceType(text, catalog, notes), notes: notes.map(({ code }) => code) }
}

function reference(text: string, name = '', subresource = '') {
  const notes: Note[] = []
  const context = { name, subresource, slash: 'subresource-or-name' } as const
  return { read: resolveReference(text, context, catalog, notes), notes: notes.map(({ code }) => code) }
}

describe('the type of a resource', () => {
  it.each([
    ['pods', 'pods', '', 'v1', true],
    ['po', 'pods', '', 'v1', true],
    ['Pod', 'pods', '', 'v1', true],
    ['pods.v1.', 'pods', '', 'v1', true],
    ['pods.v1', 'pods', '', 'v1', true],
    ['deploy', 'deployments', 'apps', 'v1', true],
    ['deployments.apps', 'deployments', 'apps', 'v1', true],
    ['deployments.v1.apps', 'deployments', 'apps', 'v1', true],
    ['hpa.v1.autoscaling', 'horizontalpodautoscalers', 'autoscaling', 'v1', true],
    ['leases.coordination.k8s.io', 'leases', 'coordination.k8s.io', 'v1', true],
    ['ns', 'namespaces', '', 'v1', false],
  ])('%s is %s of group "%s"', (text, resource, group, version, namespaced) => {
    expect(type(text)).toMatchObject({ type: { resource, group, version, namespaced }, notes: [] })
  })

  it.each([
    ['widgets.example.com', 'widgets', 'example.com', ''],
    ['widgets.v1.example.com', 'widgets', 'example.com', 'v1'],
    ['widgets.v1beta2.example.com', 'widgets', 'example.com', 'v1beta2'],
    ['Widget.v10x.example.com', 'Widget', 'v10x.example.com', ''],
    ['widgets', 'widgets', '', 'v1'],
  ])('%s is taken as it is, with a note', (text, resource, group, version) => {
    expect(type(text)).toMatchObject({
      type: { resource, group, version, namespaced: undefined, subresources: undefined },
      notes: ['unknown-resource'],
    })
  })

  it('says that events are served by two groups', () => {
    expect(type('events').notes).toEqual(['also-in-group'])
    expect(type('events.events.k8s.io').notes).toEqual([])
  })

  it('suggests the resource that a typo is near to', () => {
    const notes: Note[] = []
    resolveResourceType('deploymnets', catalog, notes)
    expect(notes[0]?.message).toBe(
      'resource deploymnets is not known here; taken as it is, in the core group; did you mean deployments?',
    )
  })

  it('says that * is no resource of a request', () => {
    expect(type('*')).toMatchObject({ type: { resource: '*', group: '' }, notes: ['wildcard-resource'] })
  })

  it.each([[''], ['.apps']])('refuses "%s"', (text) => {
    expect(type(text).type).toHaveProperty('problem')
  })
})

describe('what follows a slash', () => {
  it.each([
    // text, NAME, --subresource → subresource, name, notes
    ['pods/log', '', '', 'log', '', []],
    ['po/log', 'web-0', '', 'log', 'web-0', []],
    ['deploy/scale', 'web', '', 'scale', 'web', []],
    ['nodes/status', 'n7', '', 'status', 'n7', []],
    ['pods/web-0', '', '', '', 'web-0', ['object-name']],
    ['pods/web-0/log', '', '', 'log', 'web-0', ['object-name']],
    ['pods/logs', 'web-0', '', 'logs', 'web-0', ['unknown-subresource']],
    ['deploy/web', '', 'scale', 'scale', 'web', []],
    ['deploy', 'web', 'scale', 'scale', 'web', []],
  ] as const)(
    '%s with name "%s" and --subresource "%s" is subresource "%s" of "%s"',
    (text, givenName, flag, subresource, name, notes) => {
      expect(reference(text, givenName, flag)).toMatchObject({ read: { subresource, name }, notes })
    },
  )

  it.each([
    ['widgets.example.com/status', 'status', ['unknown-resource']],
    ['widgets.example.com/scale', 'scale', ['unknown-resource']],
    ['widgets.example.com/blue', 'blue', ['unknown-resource', 'unknown-subresource']],
  ])('%s of an unknown resource is a subresource', (text, subresource, notes) => {
    expect(reference(text)).toMatchObject({ read: { subresource, name: '' }, notes })
  })

  it.each([['pods/'], ['pods/web-0/'], ['pods//log']])('%s is refused', (text) => {
    expect(reference(text).read).toHaveProperty('problem')
  })
})
