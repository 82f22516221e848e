import com.sun.source.util.JavacTask;
import java.nio.file.Path;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/** Reads a Java file without its imports: exit code 1 and the fault when its syntax is wrong. */
class Parse {
  public static void main(String[] args) throws Exception {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var faults = new DiagnosticCollector<JavaFileObject>();
    try (var files = compiler.getStandardFileManager(faults, null, null)) {
      var sources = files.getJavaFileObjects(Path.of(args[0]));
      ((JavacTask) compiler.getTask(null, files, faults, null, null, sources)).parse();
    }
    faults.getDiagnostics().forEach(System.err::println);
    System.exit(faults.getDiagnostics().isEmpty() ? 0 : 1);
  }
}
