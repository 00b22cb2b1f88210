soa: 1
flexible:
  modes: 0
  mass: 0
  first: [0, 0, 0]
  second: [0, 0, 0, 0, 0, 0]
  nodes: []
