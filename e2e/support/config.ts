/** Address of the product under test. Two test runs on one machine need different ones. */
interface ProductAddress {
  apiPort: number;
  clientPort: number;
  dataDir: string;
}

export const product: ProductAddress = {
  apiPort: Number(process.env.E2E_API_PORT ?? 8180),
  clientPort: Number(process.env.E2E_CLIENT_PORT ?? 5183),
  dataDir: process.env.E2E_DATA_DIR ?? ".data/e2e",
};

/** A second one, whose analyst is a fake that a test controls. */
export const analystProduct: ProductAddress = {
  apiPort: product.apiPort + 1,
  clientPort: product.clientPort + 1,
  dataDir: `${product.dataDir}-analyst`,
};

const apiUrlOf = ({ apiPort }: ProductAddress): string => `http://localhost:${apiPort}`;
export const clientUrlOf = ({ clientPort }: ProductAddress): string =>
  `http://localhost:${clientPort}`;

export const apiUrl = apiUrlOf(product);
export const clientUrl = clientUrlOf(product);
