// A small table without sorting or filters, such as the numbers of a chart or a list of settings.

export interface PlainTableData {
  columns: string[];
  rows: (string | number)[][];
}

export function PlainTable({ label, data }: { label: string; data: PlainTableData }) {
  return (
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {data.columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.rows.map((row, r) => (
            <tr key={r}>
              {row.map((cell, c) =>
                c === 0 ? (
                  <th key={data.columns[c]} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={data.columns[c]}>{cell}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
